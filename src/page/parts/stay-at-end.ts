/** So near to its end a reader is taken to follow what comes. */
const NEAR_PX = 80

/**
 * Keeps a scrolled box at its end, whatever becomes of its size or of what is in it, until a reader goes back;
 * from then on where the reader comes to the end again. The answer ends that.
 */
export function stayAtEnd(box: HTMLElement): () => void {
  let follows = true
  let last = 0
  const look = () => {
    const isNear = box.scrollHeight - box.scrollTop - box.clientHeight < NEAR_PX
    // Only a reader goes up: what grows leaves the place as it is.
    if (isNear) follows = true
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
  return () => {
    sizes.disconnect()
    box.removeEventListener('scroll', look)
  }
}
