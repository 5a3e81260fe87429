import { useSignal } from '@preact/signals'
import type { ListName, Present, QueueRow } from '../../features/people/desk/desk-api.ts'
import { serverTime } from './service-clock.ts'
import {
  chat,
  counts,
  desk,
  found,
  mayRead,
  moreAfter,
  myName,
  nameOf,
  onlyNumber,
  readMore,
  rows,
  search,
  showError,
} from './state-of-desk.ts'
import { linkTo, LIST_NAMES, openCustomer, shownList } from './desk-address.ts'
import { formatCount, formatMoment, formatWait, hasText, t, type TextName } from './words.ts'

const EMPTY: Readonly<Record<ListName, TextName>> = {
  waiting: 'nobodyWaiting',
  mine: 'nobodyMine',
  open: 'nobodyOpen',
  recent: 'nobodyRecent',
}

export function QueuePane() {
  const shown = found.value ? found.value.rows : rows.value
  return (
    <section class="queue" aria-label={t('lists')}>
      <div class="bar stack">
        {mayRead.value && <SearchBox />}
        <NumberChoice />
        <Tabs />
      </div>
      <div class="scroll">
        {shown === undefined && <p class="empty">{t('reading')}</p>}
        {shown?.length === 0 && <p class="empty">{t(found.value ? 'nobodyFound' : EMPTY[shownList.value])}</p>}
        <ul class="lines" aria-label={t(found.value ? 'found' : shownList.value)}>
          {shown?.map((row) => (
            <li key={row.id}>
              <Row row={row} />
            </li>
          ))}
        </ul>
        {!found.value && moreAfter.value !== undefined && (
          <p class="empty">
            <button type="button" onClick={() => void readMore().catch(showError)}>
              {t('more')}
            </button>
          </p>
        )}
      </div>
    </section>
  )
}

function Tabs() {
  const count = { waiting: counts.value.waiting, mine: counts.value.mine, open: 0, recent: 0 }
  return (
    <nav class="tabs" aria-label={t('lists')}>
      {LIST_NAMES.map((list) => (
        <a
          key={list}
          href={linkTo(list, openCustomer.value)}
          aria-current={list === shownList.value && !found.value ? 'page' : undefined}
          onClick={() => (found.value = undefined)}
        >
          {t(list)}
          {count[list] > 0 && <b class="count">{formatCount(count[list])}</b>}
        </a>
      ))}
    </nav>
  )
}

function NumberChoice() {
  const { numbers = [] } = desk.value?.me ?? {}
  if (numbers.length < 2) return null
  return (
    <select
      aria-label={t('number')}
      value={onlyNumber.value}
      onChange={({ currentTarget }) => (onlyNumber.value = currentTarget.value)}
    >
      <option value="">{t('everyNumber')}</option>
      {numbers.map((number) => (
        <option key={number}>{number}</option>
      ))}
    </select>
  )
}

function SearchBox() {
  const text = useSignal('')
  const clear = () => {
    text.value = ''
    found.value = undefined
  }
  return (
    <form
      role="search"
      class="search"
      onSubmit={(event) => {
        event.preventDefault()
        if (text.value.trim() === '') clear()
        else search(text.value.trim()).catch(showError)
      }}
    >
      <input
        type="search"
        aria-label={t('search')}
        placeholder={t('search')}
        maxLength={200}
        value={text.value}
        onInput={({ currentTarget }) => {
          text.value = currentTarget.value
          if (currentTarget.value === '') found.value = undefined
        }}
      />
      {found.value?.text === text.value.trim() ? (
        <button type="button" onClick={clear}>
          {t('endSearch')}
        </button>
      ) : (
        text.value.trim() !== '' && <button type="submit">{t('doSearch')}</button>
      )}
    </form>
  )
}

function Row({ row }: { row: QueueRow }) {
  const { id, customer, last, since, state, unread, assignee } = row
  const isOpen = chat.value ? chat.value.row.id === id : openCustomer.value === customer
  const now = serverTime.value
  return (
    <a class="person" href={linkTo(shownList.value, customer)} aria-current={isOpen ? 'true' : undefined}>
      <span class="top-line">
        <b class="cut">
          <bdi>{nameOf(row)}</bdi>
        </b>
        {unread > 0 && <b class="count">{t('unread', { count: formatCount(unread) })}</b>}
        <span class="fill" />
        <span class="muted small">
          {state === 'waiting' && since !== undefined
            ? t('waits', { time: formatWait(now - Date.parse(since)) })
            : last && formatMoment(last.at, now)}
        </span>
      </span>
      {last && (
        <span class="last cut">
          {last.by !== 'customer' && <span class="muted">{t(writerName(last))}: </span>}
          <bdi>{last.text ?? kindName(last.kind)}</bdi>
        </span>
      )}
      <span class="small line">
        <PhoneAndState row={row} />
        {assignee !== undefined && (
          <span class="chip">{assignee === desk.value?.me.who ? t('yours') : <bdi>{assignee}</bdi>}</span>
        )}
        <Others present={row.present} />
      </span>
    </a>
  )
}

export function Others({ present }: { present: readonly Present[] }) {
  return (
    <>
      {present
        .filter(({ who }) => who !== myName())
        .map(({ who, typing }) => (
          <span key={who} class="chip info">
            {t(typing ? 'isTyping' : 'isReading', { name: who })}
          </span>
        ))}
    </>
  )
}

export function PhoneAndState({ row }: { row: QueueRow }) {
  return (
    <>
      {row.name !== undefined && (
        <bdi dir="ltr" class="muted">
          {row.phone}
        </bdi>
      )}
      {(desk.value?.me.numbers.length ?? 0) > 1 && <bdi class="muted">{row.number}</bdi>}
      <StateOf row={row} />
    </>
  )
}

/** Why a customer is in the list, and who answers them now. */
function StateOf({ row }: { row: QueueRow }) {
  const { state, why, until, endedBy, bot } = row
  if (state === 'waiting')
    return (
      <>
        {why !== undefined && <span class={why === 'failed' ? 'bad-text' : 'muted'}>{t(WHY[why])}</span>}
        {bot === 'answers' && <span class="warn-text">{t('botAnswers')}</span>}
      </>
    )
  if (state === 'snoozed' && until !== undefined)
    return <span class="muted">{t('snoozedUntil', { time: formatMoment(until, serverTime.value) })}</span>
  if (endedBy === undefined || state === 'open') return null
  return <span class="muted">{t(state === 'dismissed' ? 'wasDismissed' : 'wasAnswered', { name: endedBy })}</span>
}

function writerName({ by, who }: NonNullable<QueueRow['last']>): TextName {
  if (by === 'bot') return 'bot'
  return who === desk.value?.me.who ? 'you' : 'colleague'
}

const WHY: Readonly<Record<NonNullable<QueueRow['why']>, TextName>> = {
  handed_over: 'wasHandedOver',
  asked: 'wasAsked',
  wrote: 'wasWrote',
  failed: 'wasFailed',
  unread: 'wasUnread',
}

export function kindName(kind: string): string {
  const name = `kind_${kind}`
  return `[${hasText(name) ? t(name) : t('kind_other')}]`
}
