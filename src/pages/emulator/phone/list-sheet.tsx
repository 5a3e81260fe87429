import { signal } from '@preact/signals'
import { useLayoutEffect, useRef } from 'preact/hooks'
import type { Interactive } from '../wire/wire-types.ts'

interface OpenList {
  readonly customer: string
  readonly list: Interactive
  readonly choose: (id: string) => void
}

/** The open list message on the phone; undefined for none. */
export const openList = signal<OpenList | undefined>(undefined)

export function ListSheet({ customer }: { readonly customer: string }) {
  const open = openList.value
  return open?.customer === customer ? <Sheet key={open} open={open} /> : null
}

function Sheet({ open: { list, choose } }: { readonly open: OpenList }) {
  const sheet = useRef<HTMLElement>(null)
  const close = () => (openList.value = undefined)
  useLayoutEffect(() => {
    const opener = document.activeElement
    sheet.current?.querySelector<HTMLElement>('li button')?.focus()
    return () => {
      close()
      if (opener instanceof HTMLElement) opener.focus()
    }
  }, [])
  const title = list.button_text ?? 'View'
  return (
    <div
      class="sheet-cover"
      onClick={({ target, currentTarget }) => target === currentTarget && close()}
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return
        event.preventDefault()
        close()
      }}
    >
      <section class="sheet" role="dialog" aria-label={title} ref={sheet}>
        <header>
          <h3 dir="auto">{title}</h3>
          <button type="button" class="quiet" onClick={close}>
            Close
          </button>
        </header>
        {list.sections?.map((section, index) => (
          <section key={section.title ?? index}>
            {section.title !== null && <h4 dir="auto">{section.title}</h4>}
            <ul>
              {section.rows.map((row) => (
                <li key={row.id}>
                  <button
                    type="button"
                    class="line-button"
                    title={`Answers with the id ${row.id}`}
                    onClick={() => {
                      close()
                      choose(row.id)
                    }}
                  >
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
      </section>
    </div>
  )
}
