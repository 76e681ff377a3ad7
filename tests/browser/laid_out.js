// What a page looks like, measured in the page itself: laid_out.py has the words for it.

/* eslint-disable no-unused-vars */

// All of a page, with what lies in shadow trees; what is shown; and how one names it.

const everything = (root = document) =>
  [...root.querySelectorAll("*")].flatMap((one) => [one, ...(one.shadowRoot ? everything(one.shadowRoot) : [])]);
const parentOf = (one) => one.parentElement ?? one.parentNode?.host ?? null;
const ancestors = function* (one) {
  for (let at = one; at; at = parentOf(at)) yield at;
};
const isShown = (one) => one.checkVisibility({ visibilityProperty: true, opacityProperty: true });
const short = (words) => words.trim().replace(/\s+/g, " ").slice(0, 40);
const nameOf = (one) => {
  const key = one.closest?.('[class*="st-key-"]')?.className.match(/st-key-[\w-]+/)?.[0] ?? "";
  const own =
    one.dataset?.testid ??
    String(one.getAttribute("class") ?? "")
      .split(" ")
      .slice(0, 2)
      .join(".");
  return `${key} ${one.localName}${own ? "." + own : ""}`.trim();
};

/** What a finger may miss. @param {number[]} sizes the least of a target, and of the room around a smaller one */
function smallTargets([FINGER, CLEAR]) {
  const TARGETS =
    'a[href], button, input:not([type="hidden"]), textarea, select, summary, [role="button"], ' +
    '[role="tab"], [role="slider"], [role="option"], [role="switch"], [role="combobox"], .tile';
  // Where a finger is led to a control: a choice is as large as its label, a field as its frame.
  const areaOf = (one) => {
    if (one.matches('input[type="radio"], input[type="checkbox"]')) return one.closest("label") ?? one;
    return one.closest('[data-testid="stSelectbox"] [role="group"], [data-testid="stNumberInputContainer"]') ?? one;
  };
  const inSentence = (one) => {
    let block = one;
    while (block && getComputedStyle(block).display.startsWith("inline")) block = parentOf(block);
    return (
      block &&
      block !== one &&
      short(block.innerText ?? "").length > 1.5 * short(one.innerText ?? "").length &&
      !["flex", "grid"].includes(getComputedStyle(block).display)
    );
  };
  const deepest = (x, y) => {
    let found = document.elementFromPoint(x, y);
    while (found?.shadowRoot?.elementFromPoint(x, y) && found.shadowRoot.elementFromPoint(x, y) !== found)
      found = found.shadowRoot.elementFromPoint(x, y);
    return found;
  };
  const belongs = (x, y, area) => {
    for (const at of ancestors(deepest(x, y))) if (at === area) return true;
    return false;
  };
  const main = document.querySelector('[data-testid="stMain"]');
  const areas = [
    ...new Set(
      everything()
        .filter(
          (one) =>
            one.matches(TARGETS) &&
            !one.disabled &&
            one.getAttribute("aria-hidden") !== "true" &&
            one.getClientRects().length &&
            one.checkVisibility({ visibilityProperty: true }) &&
            !one.closest('[data-testid="stSidebar"][data-collapsed="true"]'),
        )
        .map(areaOf),
    ),
  ].filter((one) => {
    const { width, height } = one.getBoundingClientRect();
    return width > 1 && height > 1;
  });
  const measured = areas.map((area) => {
    let box = area.getBoundingClientRect();
    let hit = null;
    let down = 0; // how far the page was scrolled then
    const least = (one) => Math.min(one.right - one.left, one.bottom - one.top);
    area.style.scrollMargin = `${FINGER}px`; // the edge of the window cuts nothing off
    for (const block of ["center", "end", "start"]) {
      area.scrollIntoView({ block, inline: "center", behavior: "instant" });
      box = area.getBoundingClientRect();
      const [x, y] = [(box.left + box.right) / 2, (box.top + box.bottom) / 2];
      const scrolled = main?.scrollTop ?? 0;
      if (hit === null) down = scrolled;
      if (area.matches(".tile")) {
        hit = box;
        break;
      } // its wall has the hands
      if (!belongs(x, y, area)) continue;
      const reach = (dx, dy) => {
        let far = 0;
        while (far < 150 && belongs(x + dx * (far + 1), y + dy * (far + 1), area)) far++;
        return far;
      };
      const found = {
        left: x - reach(-1, 0) - 0.5,
        right: x + reach(1, 0) + 0.5,
        top: y - reach(0, -1) - 0.5,
        bottom: y + reach(0, 1) + 0.5,
      };
      // What stays in view while the page scrolls may cover half a target; it does not where one scrolls further.
      if (!hit || least(found) > least(hit)) [hit, down] = [found, scrolled];
      if (least(hit) >= FINGER - 0.6) break;
    }
    area.style.scrollMargin = "";
    return {
      area,
      covered: hit === null,
      left: (hit ?? box).left,
      right: (hit ?? box).right,
      top: (hit ?? box).top + down,
      bottom: (hit ?? box).bottom + down,
    };
  });
  const gap = (one, other) =>
    Math.hypot(
      Math.max(0, one.left - other.right, other.left - one.right),
      Math.max(0, one.top - other.bottom, other.top - one.bottom),
    );
  return measured
    .filter((one) => !inSentence(one.area))
    .filter((one) => Math.min(one.right - one.left, one.bottom - one.top) < FINGER - 0.6)
    .map((one) => ({
      ...one,
      near: Math.min(
        Infinity,
        ...measured
          .filter((other) => other !== one && !other.area.contains(one.area) && !one.area.contains(other.area))
          .map((other) => gap(one, other)),
      ),
    }))
    .filter(({ near }) => near < CLEAR)
    .map(
      ({ area, left, right, top, bottom, near, covered }) =>
        `${nameOf(area)} '${short(area.innerText || area.getAttribute("aria-label") || "")}' ` +
        `${Math.round(right - left)} x ${Math.round(bottom - top)}, ${Math.round(near)} from the ` +
        `next${covered ? " (covered)" : ""}`,
    );
}

/** The lines of words: where each is, what of it can be seen, and what cuts the rest off. */
function linesOfWords() {
  const clips = (style) => ["hidden", "clip"].includes(style.overflowX) || ["hidden", "clip"].includes(style.overflowY);
  const scrolls = (style) => /auto|scroll/.test(style.overflowX);
  return everything()
    .filter((one) => !["SCRIPT", "STYLE", "OPTION", "TITLE", "TEXTAREA"].includes(one.tagName))
    .flatMap((one) => {
      const words = [...one.childNodes].filter((node) => node.nodeType === 3 && node.data.trim());
      if (!words.length || !isShown(one)) return [];
      for (const at of ancestors(one)) {
        const { clipPath, width, height } = getComputedStyle(at);
        if (clipPath !== "none" || (Number.parseFloat(width) <= 1 && Number.parseFloat(height) <= 1)) return [];
      }
      return words.flatMap((node) => {
        const range = document.createRange();
        range.selectNodeContents(node);
        return [...range.getClientRects()]
          .filter(({ width, height }) => width > 1 && height > 1)
          .map((box) => {
            let [seen, by, scrolled, free] = [box, "", false, false];
            for (const at of ancestors(one)) {
              const style = getComputedStyle(at);
              const isFree = free; // of what lies between it and what it is placed in
              if (style.position !== "static") free = false;
              if (style.position === "absolute") free = true;
              if (style.position === "fixed") break;
              if (style.display === "inline" || style.display === "contents") continue;
              if (isFree && style.position === "static") continue;
              if (scrolls(style)) {
                scrolled = true;
                break;
              }
              if (!clips(style)) continue;
              const edge = at.getBoundingClientRect();
              const margin = Number.parseFloat(style.overflowClipMargin) || 0;
              const cut = {
                left: Math.max(seen.left, edge.left - margin),
                right: Math.min(seen.right, edge.right + margin),
                top: Math.max(seen.top, edge.top - margin),
                bottom: Math.min(seen.bottom, edge.bottom + margin),
              };
              if (!by && (cut.right - cut.left < box.width - 1.5 || cut.bottom - cut.top < 0.6 * box.height))
                by = nameOf(at);
              seen = cut;
            }
            if (seen.right - seen.left < 1 || seen.bottom - seen.top < 2) return null; // hidden as a whole
            if (!by && !scrolled && (box.right > innerWidth + 1 || box.left < -1)) by = "the window";
            return { one, node, box, seen, by };
          })
          .filter(Boolean);
      });
    });
}

/** Words of which a part cannot be seen. */
function cutWords() {
  const lines = linesOfWords();

  return lines
    .filter(({ by }) => by)
    .map(({ one, node, by }) => `'${short(node.data)}' in ${nameOf(one)}, cut by ${by}`);
}

/** Words that lie on other words. */
function overprintedWords() {
  const lines = linesOfWords();

  // Of the height of a line the middle half, where letters are: lines may stand closer than their boxes are high.
  const cores = lines
    .map(({ one, node, seen }) => {
      const quarter = (seen.bottom - seen.top) / 4;
      return { one, node, left: seen.left, right: seen.right, top: seen.top + quarter, bottom: seen.bottom - quarter };
    })
    .filter(({ left, right, top, bottom }) => right - left > 1 && bottom - top > 1)
    .sort((one, other) => one.top - other.top);
  const found = [];
  cores.forEach((one, number) => {
    for (const other of cores.slice(number + 1)) {
      if (other.top >= one.bottom) break;
      if (other.node === one.node) continue;
      const wide = Math.min(one.right, other.right) - Math.max(one.left, other.left);
      const high = Math.min(one.bottom, other.bottom) - other.top;
      if (wide > 1 && high > 1)
        found.push(`'${short(one.node.data)}' and '${short(other.node.data)}' in ${nameOf(other.one)}`);
    }
  });
  return found;
}

/** What is wider than its place and can only be read by scrolling it sideways. The row of *tries* is meant to. */
function hiddenSideways() {
  return everything(document.querySelector('[data-testid="stMain"]'))
    .filter((one) => /auto|scroll/.test(getComputedStyle(one).overflowX) && one.scrollWidth > one.clientWidth + 1)
    .filter((one) => isShown(one) && !one.closest(".st-key-page_tries"))
    .map(
      (one) =>
        `'${short((one.textContent ?? "").slice(-40))}' in ${nameOf(one)}, ${one.scrollWidth} of ${one.clientWidth}`,
    );
}
