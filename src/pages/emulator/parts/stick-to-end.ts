import { signal } from '@preact/signals'
import { type RefObject, Component, type ComponentType, createElement } from 'preact'
import { useLayoutEffect, useMemo } from 'preact/hooks'

const END_TOLERANCE_PX = 80

/**
 * Keeps a box scrolled to its end while its size or content changes. Scrolling up turns that off, and scrolling to the
 * end turns it on again. If `isRendered` changes, finds the box again.
 */
export function useStickToEnd(box: RefObject<HTMLElement | null>, isRendered = true) {
  const scroll = useMemo(() => createEndScroll(box), [])
  useLayoutEffect(() => (isRendered ? scroll.start() : undefined), [isRendered])
  return scroll
}

function createEndScroll(ref: RefObject<HTMLElement | null>) {
  const follows = signal(true)
  let lastTop = 0
  const isNear = (box: HTMLElement) => box.scrollHeight - box.scrollTop - box.clientHeight < END_TOLERANCE_PX

  function keepEnd(): void {
    const box = ref.current
    if (box && follows.peek()) box.scrollTop = box.scrollHeight
  }

  return {
    follows,
    toEnd(): void {
      follows.value = true
      keepEnd()
    },
    goTo(...elements: readonly Element[]): void {
      const box = ref.current
      if (!box) return
      for (const element of elements) element.scrollIntoView({ block: 'nearest' })
      follows.value = isNear(box)
      lastTop = box.scrollTop
    },
    start(): (() => void) | undefined {
      const box = ref.current
      if (!box) return undefined
      const onScroll = () => {
        // Only a reader scrolls up: growing content leaves scrollTop unchanged.
        if (isNear(box)) follows.value = true
        else if (box.scrollTop < lastTop) follows.value = false
        lastTop = box.scrollTop
      }
      const sizes = new ResizeObserver(keepEnd)
      sizes.observe(box)
      for (const child of box.children) sizes.observe(child)
      box.addEventListener('scroll', onScroll, { passive: true })
      return () => {
        sizes.disconnect()
        box.removeEventListener('scroll', onScroll)
      }
    },
  }
}

/**
 * Renders a component again only if one of its props has changed. `memo` of preact/compat would add all of compat to
 * the bundle.
 */
export function memo<P extends object>(Inner: ComponentType<P>): ComponentType<P> {
  return class Memo extends Component<P> {
    override shouldComponentUpdate(next: Readonly<P>): boolean {
      const names = Object.keys({ ...this.props, ...next }) as (keyof P)[]
      return names.some((name) => this.props[name] !== next[name])
    }

    override render() {
      return createElement(Inner, this.props)
    }
  }
}
