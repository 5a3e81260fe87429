import { type Signal, signal, useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useRef } from 'preact/hooks'
import type { Chat, DeskAct } from '../../features/people/desk/desk-api.ts'
import { Dialog } from '../ui/components/dialog.tsx'
import { notice, toast } from '../ui/components/messages.ts'
import { isRefused } from './requests-of-desk.ts'
import { serverTime } from './service-clock.ts'
import { carryOut, chat, desk, markSeen, readChat, seen, showError } from './state-of-desk.ts'
import { formatMoment, t, type TextName } from './words.ts'

type Asking = 'pass' | 'note' | 'snooze' | 'giveBack' | 'unseen'
const asking = signal<{ readonly what: Asking; readonly customer: string } | undefined>(undefined)

const MINUTE_MS = 60_000

async function run(asked: DeskAct, done: string): Promise<void> {
  try {
    await carryOut(asked)
    toast.value = done
    notice.value = ''
  } catch (error) {
    showError(error)
  }
  keepFocus()
}

/** Moves the focus if the pressed button is gone. On a phone it avoids the field, which would open the keyboard. */
function keepFocus(): void {
  requestAnimationFrame(() => {
    if (document.activeElement !== document.body) return
    const isWide = matchMedia('(min-width: 900px)').matches
    document.querySelector<HTMLElement>(isWide ? '.composer :is(textarea, select)' : '.lines-of-chat')?.focus()
  })
}

/** What a person can do with this chat. On a phone, a button opens most of these acts. */
export function Acts({ open: { row } }: { open: Chat }) {
  const { customer, state, bot, assignee } = row
  const isOpen = useSignal(false)
  const more = useRef<HTMLButtonElement>(null)
  const waits = state === 'waiting' || state === 'snoozed'
  const ask = (what: Asking) => (asking.value = { what, customer })
  return (
    <>
      {assignee !== desk.value?.me.who && (
        <button type="button" class="primary" onClick={() => void run({ act: 'take', customer }, t('taken'))}>
          {t('take')}
        </button>
      )}
      <button
        type="button"
        ref={more}
        class="more-acts"
        aria-expanded={isOpen.value}
        onClick={() => (isOpen.value = !isOpen.value)}
      >
        {t('moreActs')}
      </button>
      <div
        class={`acts line ${isOpen.value ? 'shown' : ''}`}
        onClick={() => (isOpen.value = false)}
        onKeyDown={({ key }) => {
          if (key !== 'Escape' || !isOpen.value) return
          isOpen.value = false
          more.current?.focus()
        }}
      >
        <button type="button" onClick={() => ask('pass')}>
          {t('pass')}
        </button>
        <button type="button" onClick={() => ask('note')}>
          {t('addNote')}
        </button>
        {waits && (
          <>
            <button type="button" onClick={() => ask('snooze')}>
              {t('snooze')}
            </button>
            <button type="button" onClick={() => void dismiss(customer, false)}>
              {t('dismiss')}
            </button>
          </>
        )}
        {(bot === 'rests' || waits) && (
          <button type="button" onClick={() => ask('giveBack')}>
            {t('giveBack')}
          </button>
        )}
      </div>
    </>
  )
}

async function dismiss(customer: string, confirmed: boolean): Promise<void> {
  try {
    const count = await carryOut({ act: 'dismiss', customer, seen: seen.value, confirmed })
    // Nothing was dismissed and the customer still waits: another message arrived while the person decided.
    if (count === 0 && chat.peek()?.row.state === 'waiting') asking.value = { what: 'unseen', customer }
    else toast.value = t(count === 0 ? 'refused_no_wait' : 'dismissed')
    notice.value = ''
  } catch (error) {
    if (!isRefused(error, 'unseen')) return showError(error)
    await readChat().catch(showError)
    asking.value = { what: 'unseen', customer }
  }
  keepFocus()
}

export function ActDialog() {
  if (!asking.value) return null
  const { what, customer } = asking.value
  const { title, Form } = FORMS[what]
  return (
    <Dialog key={what} title={t(title)} onClose={() => (asking.value = undefined)}>
      {(close) => <Form customer={customer} close={close} />}
    </Dialog>
  )
}

interface FormProps {
  readonly customer: string
  readonly close: () => void
}

interface AskedForm {
  readonly title: TextName
  readonly Form: (props: FormProps) => JSX.Element
}

const FORMS: Readonly<Record<Asking, AskedForm>> = {
  pass: { title: 'passTo', Form: PassForm },
  note: { title: 'noteText', Form: NoteForm },
  snooze: { title: 'snoozeTitle', Form: SnoozeForm },
  giveBack: { title: 'giveBackTitle', Form: GiveBackForm },
  unseen: { title: 'unseenTitle', Form: UnseenForm },
}

function PassForm({ customer, close }: FormProps) {
  const { colleagues, me } = desk.value ?? {}
  const others = colleagues?.filter((one) => one !== me?.who)
  const to = useSignal(others?.[0] ?? '')
  const note = useSignal('')
  const submit = (event: Event) => {
    event.preventDefault()
    if (to.value.trim() === '') return
    close()
    const added = note.value.trim() === '' ? {} : { note: note.value }
    void run({ act: 'pass', customer, to: to.value.trim(), ...added }, t('passed', { name: to.value.trim() }))
  }
  return (
    <form class="stack" onSubmit={submit}>
      <label>
        {t('colleague')}
        {others ? (
          <select value={to.value} onChange={({ currentTarget }) => (to.value = currentTarget.value)}>
            {others.map((one) => (
              <option key={one}>{one}</option>
            ))}
          </select>
        ) : (
          <input maxLength={200} value={to.value} onInput={({ currentTarget }) => (to.value = currentTarget.value)} />
        )}
      </label>
      <label>
        {t('noteOptional')}
        <NoteField note={note} />
      </label>
      <Buttons close={close} action={t('doPass')} isReady={to.value.trim() !== ''} />
    </form>
  )
}

function NoteForm({ customer, close }: FormProps) {
  const note = useSignal('')
  return (
    <form
      class="stack"
      onSubmit={(event) => {
        event.preventDefault()
        close()
        void run({ act: 'note', customer, note: note.value }, t('noted'))
      }}
    >
      <NoteField note={note} label={t('noteText')} />
      <Buttons close={close} action={t('doNote')} isReady={note.value.trim() !== ''} />
    </form>
  )
}

function NoteField({ note, label }: { note: Signal<string>; label?: string }) {
  return (
    <textarea
      rows={4}
      dir="auto"
      aria-label={label}
      maxLength={4_096}
      value={note.value}
      onInput={({ currentTarget }) => (note.value = currentTarget.value)}
    />
  )
}

const SNOOZES = [30, 120, 480, 1_440] as const

function SnoozeForm({ customer, close }: FormProps) {
  const snooze = (minutes: number) => {
    close()
    const until = new Date(serverTime.value + minutes * MINUTE_MS).toISOString()
    void run({ act: 'snooze', customer, minutes }, t('snoozed', { time: formatMoment(until, serverTime.value) }))
  }
  return <Choices close={close} choices={SNOOZES.map((minutes) => [t(`in${minutes}`), () => snooze(minutes)])} />
}

function GiveBackForm({ customer, close }: FormProps) {
  const give = (answer: 'next' | 'waiting') => {
    close()
    void run({ act: 'give_back', customer, answer }, t('given'))
  }
  return (
    <Choices
      close={close}
      choices={[
        [t('answerNext'), () => give('next')],
        [t('answerWaiting'), () => give('waiting')],
      ]}
    />
  )
}

interface ChoicesProps {
  readonly close: () => void
  readonly choices: readonly (readonly [label: string, choose: () => void])[]
}

function Choices({ close, choices }: ChoicesProps) {
  return (
    <>
      {choices.map(([label, choose]) => (
        <button key={label} type="button" onClick={choose}>
          {label}
        </button>
      ))}
      <Buttons close={close} />
    </>
  )
}

function UnseenForm({ customer, close }: FormProps) {
  return (
    <form
      class="stack"
      onSubmit={(event) => {
        event.preventDefault()
        close()
        markSeen()
        void dismiss(customer, true)
      }}
    >
      <p>{t('unseenText')}</p>
      <Buttons close={close} cancel={t('change')} action={t('doAnyway')} />
    </form>
  )
}

interface ButtonsProps {
  readonly close: () => void
  readonly cancel?: string
  readonly action?: string
  readonly isReady?: boolean
}

function Buttons({ close, cancel, action, isReady = true }: ButtonsProps) {
  return (
    <footer class="line">
      <button type="button" onClick={close}>
        {cancel ?? t('cancel')}
      </button>
      {action !== undefined && (
        <button type="submit" class="primary" disabled={!isReady}>
          {action}
        </button>
      )}
    </footer>
  )
}
