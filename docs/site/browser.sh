#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# browser.sh SITE PICTURES: asks the site's search in Chromium, without a screen or a network, for words of which it is known
# where they stand, and takes pictures of pages at two widths, to be looked at.
set -eu
site=$(realpath "$1") pictures=$2
mkdir -p "$pictures"
browser() { chromium --headless --no-sandbox --disable-gpu --virtual-time-budget=20000 "$@" 2>"$pictures/chromium.log"; }

# ask WORD PAGE: the search finds it there; PAGE none: nowhere.
ask() {
  found=$(browser --dump-dom "file://$site/search.html?q=$1" | grep -o 'class="search-summary.*</ul>\|did not match any documents') || found=
  case $2,$found in
    none,*'did not match'*) ;;
    *,*"href=\"$2"*) ;;
    *) echo "the search for $1 does not lead to $2: ${found:-no answer}" >&2; exit 1 ;;
  esac
}
ask fixed_step_count docs/site/generated/contracts/solve.html
ask pullback docs/site/generated/contracts/adjoint.html
ask rodas5p docs/methods.html
ask checkpoint docs/site/theory.html
ask conan docs/install.html
ask quoxolotl none
for width in 1280 400; do
  for page in docs/site/index docs/site/gallery docs/site/generated/contracts/solve docs/methods search; do
    browser --window-size=$width,900 --hide-scrollbars --screenshot="$pictures/$(basename $page)_$width.png" "file://$site/$page.html?q=pullback"
  done
done
echo "six searches; pictures: $pictures"
