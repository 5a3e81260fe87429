import type { ComponentType } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { keepFocus } from '../parts/keep-focus.ts'
import { type Part, part } from '../state/view.ts'

interface SectionProps {
  readonly name: Part
  readonly title: string
  /** How it stands, in a word or two beside the title. */
  readonly Note?: ComponentType
  readonly Body: ComponentType
}

/** One part of the controls, which folds; one is open at a time. */
export function Section({ name, title, Note, Body }: SectionProps) {
  const isOpen = part.value === name
  const fold = useRef<HTMLElement>(null)
  useEffect(() => {
    if (isOpen && fold.current) bringIntoView(fold.current)
  }, [isOpen])
  useEffect(() => {
    const it = fold.current
    return it ? keepFocus(it, () => it.querySelector('h3 button')) : undefined
  }, [])
  return (
    <section class={`fold ${isOpen ? 'open' : ''}`} ref={fold}>
      <h3>
        <button
          type="button"
          aria-expanded={isOpen}
          aria-controls={`part-${name}`}
          aria-describedby={`note-${name}`}
          onClick={() => (part.value = isOpen ? '' : name)}
        >
          <svg class="fold-mark" viewBox="0 0 16 16" aria-hidden="true">
            <path d="M6 3.5 10.5 8 6 12.5" />
          </svg>
          {title}
        </button>
        <span class="fold-note" id={`note-${name}`}>
          {Note && <Note />}
        </span>
      </h3>
      <div id={`part-${name}`} class="fold-body" hidden={!isOpen}>
        {isOpen && <Body />}
      </div>
    </section>
  )
}

/** Whole where there is room for it, else from its title on. */
function bringIntoView(fold: HTMLElement): void {
  const room = fold.parentElement?.clientHeight ?? 0
  fold.scrollIntoView({ block: fold.offsetHeight > room ? 'start' : 'nearest' })
}
