/** So near to its end a reader is taken to follow what comes. */
const NEAR_PX = 80

/** A scrolled box that stays at its end. */
export interface Follower {
  /** To something in it that somebody asked for, as if a reader had gone there. */
  goTo(inside: Element): void
  stop(): void
}

/**
 * Keeps a scrolled box at its end, whatever becomes of its size or of what is in it, until a reader goes back;
 * from then on where the reader comes to the end again.
 */
export function stayAtEnd(box: HTMLElement): Follower {
  let follows = true
  let last = 0
  const isNear = () => box.scrollHeight - box.scrollTop - box.clientHeight < NEAR_PX
  const look = () => {
    // Only a reader goes up: what grows leaves the place as it is.
    if (isNear()) follows = true
    else if (box.scrollTop < last) follows = false
    last = box.scrollTop
  }
  const stay = () => {
    if (follows) box.scrollTop = box.scrollHeight
  }
  const sizes = new ResizeObserver(stay)
  sizes.observe(box)
  for (const child of box.children) sizes.observe(child)
  box.addEventListener('scroll', look, { passive: true })
  return {
    goTo(inside) {
      inside.scrollIntoView({ block: 'nearest' })
      follows = isNear()
      last = box.scrollTop
    },
    stop() {
      sizes.disconnect()
      box.removeEventListener('scroll', look)
    },
  }
}
