import type { ComponentChildren } from 'preact'
import { useRef } from 'preact/hooks'

export interface MenuItem {
  readonly label: ComponentChildren
  readonly title?: string
  readonly run: () => void
}

interface MenuProps {
  readonly class: string
  readonly children: ComponentChildren
  /** The accessible name of that button, if its content is an icon. */
  readonly label?: string
  readonly title?: string
  readonly items: readonly MenuItem[]
}

/** A menu that opens under its button. Escape, a choice or moving the focus away closes it. */
export function Menu({ class: kind, children, label, title, items }: MenuProps) {
  const menu = useRef<HTMLDetailsElement>(null)
  const summary = useRef<HTMLElement>(null)
  const list = useRef<HTMLUListElement>(null)
  const close = () => {
    if (menu.current) menu.current.open = false
  }
  return (
    <details
      class={`menu ${kind}`}
      ref={menu}
      onToggle={() => list.current?.scrollIntoView({ block: 'nearest' })}
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || !menu.current?.open) return
        event.preventDefault()
        close()
        summary.current?.focus()
      }}
      onFocusOut={({ relatedTarget }) => {
        if (!menu.current?.contains(relatedTarget as Node | null)) close()
      }}
    >
      <summary ref={summary} aria-label={label} title={title}>
        {children}
      </summary>
      <ul ref={list}>
        {items.map((item, index) => (
          <li key={index}>
            <button
              type="button"
              class="line-button"
              title={item.title}
              onClick={() => {
                close()
                summary.current?.focus()
                item.run()
              }}
            >
              {item.label}
            </button>
          </li>
        ))}
      </ul>
    </details>
  )
}
