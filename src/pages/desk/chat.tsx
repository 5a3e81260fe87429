import { useSignal } from '@preact/signals'
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import type { Chat } from '../../features/people/desk/desk-api.ts'
import { Acts } from './chat-acts.tsx'
import { ChatLine } from './chat-line.tsx'
import { Composer } from './write.tsx'
import { isSameSeen } from './lines.ts'
import { usePresence } from './present.ts'
import { Others, PhoneAndState } from './queue.tsx'
import { serverTime } from './service-clock.ts'
import { chat, desk, isAtEnd, markSeen, mayWrite, nameOf, readOlder, seen, jumps, showError } from './state-of-desk.ts'
import { linkTo, openCustomer, shownList } from './desk-address.ts'
import { formatDate, formatMoment, t } from './words.ts'

export function ChatPane() {
  const open = chat.value
  if (openCustomer.value === undefined)
    return (
      <section class="chat" aria-label={t('messages')}>
        <p class="empty">{t('chooseChat')}</p>
      </section>
    )
  if (!open)
    return (
      <section class="chat" aria-label={t('messages')}>
        <BackLink />
        <p class="empty">{t('reading')}</p>
      </section>
    )
  return (
    <section class="chat" key={open.row.id} aria-label={nameOf(open.row)}>
      <Head open={open} />
      <Lines open={open} />
      {mayWrite.value && <Composer open={open} />}
    </section>
  )
}

function BackLink() {
  return (
    <a class="button back" href={linkTo(shownList.value)} aria-label={t('back')}>
      <span aria-hidden="true">‹</span>
    </a>
  )
}

function Head({ open }: { open: Chat }) {
  const { row, takenOver, optedOut } = open
  usePresence(row.customer)
  const now = serverTime.value
  return (
    <div class="bar head">
      <div class="line">
        <BackLink />
        <h1 class="cut">
          <bdi>{nameOf(row)}</bdi>
        </h1>
        <span class="fill" />
        {mayWrite.value && <Acts open={open} />}
      </div>
      <p class="small facts-line">
        <PhoneAndState row={row} />
        {row.assignee !== undefined && (
          <span class="chip">
            {row.assignee === desk.value?.me.who ? t('yours') : t('has', { name: row.assignee })}
          </span>
        )}
        <Others present={row.present} />
        {takenOver?.until !== undefined && (
          <span class="muted">
            {t(takenOver.by === 'agent' ? 'agentHas' : 'botRests', { time: formatMoment(takenOver.until, now) })}
          </span>
        )}
        {optedOut !== undefined && (
          <span class="warn-text">{t('optedOut', { time: formatMoment(optedOut, now) })}</span>
        )}
      </p>
    </div>
  )
}

const SEEN_AFTER_MS = 1_000
const NEAR_END_PX = 48

/** If a chat is scrolled to its end, it stays at its end. */
function useScrolling(oldest: string | undefined) {
  const box = useRef<HTMLDivElement>(null)
  const height = useRef(0)
  const toEnd = () => box.current?.scrollTo({ top: box.current.scrollHeight })
  // When older lines appear above, the lines in sight do not move.
  useLayoutEffect(() => {
    if (box.current) box.current.scrollTop += box.current.scrollHeight - height.current
  }, [oldest])
  useLayoutEffect(() => {
    if (isAtEnd.peek()) toEnd()
    height.current = box.current?.scrollHeight ?? 0
  })
  useEffect(() => {
    // Stay at the end when the box becomes smaller, because the composer grows or a phone shows its keyboard.
    const sizes = new ResizeObserver(() => isAtEnd.peek() && toEnd())
    if (box.current) sizes.observe(box.current)
    return () => sizes.disconnect()
  }, [])
  useLayoutEffect(() => {
    isAtEnd.value = true
    toEnd()
  }, [jumps.value])
  return { box, toEnd }
}

function Lines({ open }: { open: Chat }) {
  const { box, toEnd } = useScrolling(open.lines[0]?.id)
  useSeen(open, isAtEnd.value)

  const isBehind = !isAtEnd.value && !isSameSeen(open.seen, seen.value)
  return (
    <div
      class="scroll lines-of-chat"
      ref={box}
      tabIndex={0}
      data-seen={isSameSeen(open.seen, seen.value)}
      role="log"
      aria-live="off"
      aria-label={t('messages')}
      onScroll={({ currentTarget: { scrollHeight, scrollTop, clientHeight } }) =>
        (isAtEnd.value = scrollHeight - scrollTop - clientHeight < NEAR_END_PX)
      }
    >
      {open.before !== undefined && (
        <p class="empty">
          <button type="button" onClick={() => void readOlder().catch(showError)}>
            {t('older')}
          </button>
        </p>
      )}
      {open.lines.length === 0 && <p class="empty">{t('noMessages')}</p>}
      {[...Map.groupBy(open.lines, ({ at }) => formatDate(at))].map(([day, lines]) => (
        <section key={day} aria-label={day}>
          <h2 class="day muted small">{day}</h2>
          {lines.map((line) => (
            <ChatLine key={line.id} line={line} customer={open.row.customer} />
          ))}
        </section>
      ))}
      {isBehind && (
        <button
          type="button"
          class="primary to-end"
          onClick={() => {
            isAtEnd.value = true
            toEnd()
          }}
        >
          {t('toNewest')} ↓
        </button>
      )}
    </div>
  )
}

/** Marks the newest messages as seen when they have been in sight for a second, on a visible page. */
function useSeen({ seen: newest }: Chat, isAtEnd: boolean): void {
  const isVisible = useSignal(!document.hidden)
  useEffect(() => {
    const changed = () => (isVisible.value = !document.hidden)
    document.addEventListener('visibilitychange', changed)
    return () => document.removeEventListener('visibilitychange', changed)
  }, [])
  useEffect(() => {
    if (!isAtEnd || !isVisible.value) return undefined
    const timer = setTimeout(markSeen, SEEN_AFTER_MS)
    return () => clearTimeout(timer)
  }, [newest.message, newest.send, isAtEnd, isVisible.value])
}
