// The menu on a phone: Streamlit leaves it open over the page that it has opened.

const WIDEST = 768; // maximum width of a window that the menu covers, CSS pixels

document.addEventListener("click", (event) => {
  const { target, ctrlKey, metaKey, shiftKey } = event;
  const follows = target instanceof Element && target.closest('[data-testid="stSidebarNavLink"]');
  if (!follows || ctrlKey || metaKey || shiftKey || innerWidth > WIDEST) return;
  /** @type {HTMLElement|null} */
  const close = document.querySelector('[data-testid="stSidebarCollapseButton"] button');
  close?.click();
});
