import { useRef } from 'preact/hooks'
import { copyAsCurl, copyAsFixture, copyAsTest, duplicate, edit, editing, replay, replayExactly } from '../actions.ts'

/** What can be done with the open row; of a call nothing but copies, since only the app can call. */
export function Actions({ isDelivery }: { isDelivery: boolean }) {
  return (
    <div class="inspector-actions" role="group" aria-label="What to do with it">
      {isDelivery && (
        <>
          <button type="button" title="Once more, signed now (r)" onClick={replay}>
            Replay
          </button>
          <button type="button" title="The same bytes, timestamp and signature once more" onClick={replayExactly}>
            Byte for byte
          </button>
          <button
            type="button"
            title="Change it and send it as a new event (e)"
            aria-pressed={editing.value}
            onClick={edit}
          >
            Edit &amp; send
          </button>
          <button type="button" title="Twice at once, under one id (d)" onClick={duplicate}>
            Duplicate
          </button>
        </>
      )}
      <CopyMenu isDelivery={isDelivery} />
    </div>
  )
}

function CopyMenu({ isDelivery }: { isDelivery: boolean }) {
  const menu = useRef<HTMLDetailsElement>(null)
  const summary = useRef<HTMLElement>(null)
  const close = () => {
    if (menu.current) menu.current.open = false
  }
  const choices = [
    { words: 'as curl', title: 'The same request for a shell (c)', run: copyAsCurl },
    { words: 'as fixture', title: 'For a file of a test, or for switchhook trigger --data', run: copyAsFixture },
    ...(isDelivery ? [{ words: 'as test', title: 'A test with switchhook/testing', run: copyAsTest }] : []),
  ]
  return (
    <details
      class="copy-menu"
      ref={menu}
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
      <summary ref={summary}>Copy</summary>
      <ul>
        {choices.map(({ words, title, run }) => (
          <li key={words}>
            <button
              type="button"
              class="quiet"
              title={title}
              onClick={() => {
                close()
                summary.current?.focus()
                run()
              }}
            >
              <span class="visually-hidden">Copy </span>
              {words}
            </button>
          </li>
        ))}
      </ul>
    </details>
  )
}
