/** Puts the focus onto `home` whenever what had it inside of `box` is taken away; the answer stops that. */
export function keepFocus(box: HTMLElement, home: () => HTMLElement | null): () => void {
  let last: Node | null = null
  const came = ({ target }: FocusEvent) => {
    last = target as Node
  }
  const changes = new MutationObserver(() => {
    if (last === null || last.isConnected) return
    last = null
    if (document.activeElement === document.body) home()?.focus({ preventScroll: true })
  })
  box.addEventListener('focusin', came)
  changes.observe(box, { childList: true, subtree: true })
  return () => {
    box.removeEventListener('focusin', came)
    changes.disconnect()
  }
}
