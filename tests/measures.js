// What a page looks like to someone who reads it: contrast of texts and marks, what is cut, what lies on what.
// Loaded into the page by tests/test_accessible.py; every function returns a list of findings.
window.measure = (() => {
  // Colours: [red, green, blue, alpha], 0 to 255 and 0 to 1.
  const colour = text => {
    const numbers = text.match(/-?[\d.]+(e-?\d+)?/g)?.map(Number);
    if (!numbers || !/^(rgb|color\(srgb)/.test(text)) return null;
    const scale = text.startsWith("color") ? 255 : 1;
    return [...numbers.slice(0, 3).map(v => v * scale), numbers[3] ?? 1];
  };
  const over = (top, ground) => [0, 1, 2].map(i => top[i] * top[3] + ground[i] * (1 - top[3])).concat(1);
  // WCAG 2.2, "relative luminance" and "contrast ratio".
  const luminance = c => {
    const [r, g, b] = c.slice(0, 3).map(v => v / 255).map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const contrast = (a, b) => {
    const [low, high] = [luminance(a), luminance(b)].sort((x, y) => x - y);
    return (high + 0.05) / (low + 0.05);
  };
  const ancestors = function* (element) { for (let e = element; e; e = e.parentElement) yield e };
  const opacity = element => [...ancestors(element)].reduce((o, e) => o * getComputedStyle(e).opacity, 1);
  const middle = r => [r.x + r.width / 2, r.y + r.height / 2];
  const app = document.querySelector('[data-testid="stApp"]');
  const covers = (r, [x, y]) => x >= r.left && x <= r.right && y >= r.top && y <= r.bottom;

  // The colour behind a point of an element: the grounds of its ancestors, as far as they lie there.
  const ground = (element, point) => {
    const layers = [];
    for (const e of ancestors(element)) {
      const c = colour(getComputedStyle(e).backgroundColor);
      if (c && c[3] > 0 && covers(e.getBoundingClientRect(), point)) layers.push(c);
    }
    return layers.reverse().reduce((below, c) => over(c, below), colour(getComputedStyle(app).backgroundColor));
  };
  const painted = (style, kind, element) => {
    const c = colour(style[kind]);
    if (!c || (kind === "stroke" && !(parseFloat(style.strokeWidth) > 0))) return null;
    c[3] *= style[`${kind}Opacity`] * opacity(element);
    return c[3] > 0 ? c : null;
  };
  // ... and the marks of a chart that lie there.
  const under = (svg, point, start) => [...svg.querySelectorAll(".mark-rect path, .mark-area path, .mark-symbol path")]
    .filter(p => covers(p.getBoundingClientRect(), point)
      && p.isPointInFill(new DOMPoint(...point).matrixTransform(p.getScreenCTM().inverse())))
    .map(p => painted(getComputedStyle(p), "fill", p)).filter(Boolean).reduce((below, c) => over(c, below), start);

  // Every piece of text that can be seen: the element, the words, and where they are.
  const texts = root => {
    const found = [];
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      const node = walker.currentNode, element = node.parentElement, words = node.textContent.trim();
      if (!words || element.closest("script, style, canvas, .katex-mathml")) continue;
      if (element.closest("details:not([open])") && !element.closest("summary")) continue;
      const style = getComputedStyle(element);
      if (style.visibility === "hidden" || opacity(element) === 0) continue;
      const svg = element.closest("svg"), range = document.createRange();
      range.selectNodeContents(node);
      if (svg ? !painted(style, "fill", element) : colour(style.color)?.[3] === 0) continue;
      const boxes = svg ? [element.getBoundingClientRect()] : [...range.getClientRects()];
      for (const box of boxes) if (box.width > 2 && box.height > 2) found.push({ element, words, box, svg });
    }
    return found;
  };
  const named = svg => svg.closest("[aria-label]").getAttribute("aria-label").slice(0, 50);
  const place = t => t.svg ? named(t.svg) : t.element.closest("[data-testid]")?.dataset.testid;
  const charts = () => [...document.querySelectorAll('[data-testid="stVegaLiteChart"] svg.marks')];

  // Texts below 4.5:1. Controls that are off are exempt (WCAG 1.4.3, inactive components).
  const faintTexts = () => texts(document.body).filter(t => !t.element.closest("[disabled], [data-disabled], [aria-disabled=true]"))
    .map(t => {
      const style = getComputedStyle(t.element), point = middle(t.box);
      const behind = t.svg ? under(t.svg, point, ground(t.element, point)) : ground(t.element, point);
      const ink = colour(t.svg ? style.fill : style.color);
      ink[3] *= opacity(t.element) * (t.svg ? style.fillOpacity : 1);
      return { ratio: contrast(over(ink, behind), behind), words: t.words.slice(0, 30), at: place(t) };
    }).filter(t => t.ratio < 4.5).map(t => `${t.ratio.toFixed(2)} ${t.words} (${t.at})`);

  // Marks of which neither filling nor edge is 3:1 to the page. Left out: cells of a heat map, which have a scale, a
  // frame and their numbers; a tint below a text or a dial; white lines, which lie on bars.
  const faintMarks = () => charts().flatMap(svg => {
    const page = ground(svg, middle(svg.getBoundingClientRect()));
    const heat = svg.querySelector(".role-legend-gradient");
    return [...svg.querySelectorAll(".role-mark :is(path, line)")].filter(mark => {
      const kind = mark.parentElement.getAttribute("class") || "";
      if (!/mark-(rect|line|symbol|rule|arc|area)/.test(kind) || (heat && kind.includes("mark-rect"))) return false;
      const style = getComputedStyle(mark);
      const paints = ["fill", "stroke"].map(k => painted(style, k, mark)).filter(c => c && c[3] > 0.2);
      const white = paints.length && paints.every(c => c.slice(0, 3).every(v => v === 255));
      return paints.length && !white && paints.every(c => contrast(over(c, page), page) < 3);
    }).map(mark => `${mark.parentElement.getAttribute("class")} (${named(svg)})`);
  });

  const scrolls = element => [...ancestors(element.parentElement)].some(e => {
    return /auto|scroll/.test(getComputedStyle(e).overflowX) && e.scrollWidth > e.clientWidth && !e.matches('[data-testid="stMain"]');
  });
  // Texts and charts that reach over the edge of the screen, of their chart, or of a box that hides the rest.
  const cut = () => {
    const found = charts().filter(svg => svg.getBoundingClientRect().right > innerWidth + 1).map(named);
    for (const t of texts(document.querySelector('[data-testid="stMain"]'))) {
      const room = t.svg ? t.svg.getBoundingClientRect() : { left: 0, right: innerWidth };
      const out = t.box.left < room.left - 3 || t.box.right > room.right + 3;
      const hidden = !t.svg && [...ancestors(t.element)].some(e => {
        return /hidden|clip/.test(getComputedStyle(e).overflowX) && e.scrollWidth > e.clientWidth + 3;
      });
      if ((out || hidden) && (t.svg || !scrolls(t.element))) found.push(`${t.words.slice(0, 40)} (${place(t)})`);
    }
    return found;
  };
  // Texts that lie on each other.
  const overlaps = () => {
    const main = document.querySelector('[data-testid="stMain"]');
    const shown = texts(main).filter(t => t.words !== "−" && (t.svg || [...ancestors(t.element)].every(e => {
      const r = e.getBoundingClientRect();
      return getComputedStyle(e).overflowY === "visible" || covers(r, middle(t.box));
    })));
    const found = [];
    shown.forEach((a, i) => shown.slice(i + 1).forEach(b => {
      if (a.element.contains(b.element) || b.element.contains(a.element)) return;
      if (a.element.closest(".katex") && b.element.closest(".katex")) return;
      const wide = Math.min(a.box.right, b.box.right) - Math.max(a.box.left, b.box.left);
      const high = Math.min(a.box.bottom, b.box.bottom) - Math.max(a.box.top, b.box.top);
      if (wide > 2 && high > (a.svg || b.svg ? 3 : 6)) found.push(`${a.words.slice(0, 30)} on ${b.words.slice(0, 30)} (${place(a)})`);
    }));
    return found;
  };
  return { faintTexts, faintMarks, cut, overlaps };
})();
