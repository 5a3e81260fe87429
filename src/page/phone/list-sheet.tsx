import { useLayoutEffect, useRef } from 'preact/hooks'
import type { Interactive } from '../wire/types.ts'

interface ListSheetProps {
  readonly title: string
  readonly sections: NonNullable<Interactive['sections']>
  readonly close: () => void
  readonly choose: (id: string) => void
}

/** The rows of a list, as a sheet over the phone. */
export function ListSheet({ title, sections, close, choose }: ListSheetProps) {
  const sheet = useRef<HTMLDialogElement>(null)
  useLayoutEffect(() => sheet.current?.showModal(), [])
  const choosing = (id: string) => {
    sheet.current?.close()
    choose(id)
  }
  return (
    <dialog class="sheet" ref={sheet} onClose={close} aria-label={title}>
      <header>
        <h3 dir="auto">{title}</h3>
        <button type="button" class="quiet" onClick={() => sheet.current?.close()}>
          Close
        </button>
      </header>
      {sections.map((section, index) => (
        <section key={section.title ?? index}>
          {section.title !== null && <h4 dir="auto">{section.title}</h4>}
          <ul>
            {section.rows.map((row) => (
              <li key={row.id}>
                <button type="button" title={`Answers with the id ${row.id}`} onClick={() => choosing(row.id)}>
                  <b dir="auto">{row.title}</b>
                  {row.description && (
                    <span class="muted small" dir="auto">
                      {row.description}
                    </span>
                  )}
                </button>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </dialog>
  )
}
