import { useSignal } from '@preact/signals'
import type { Line } from '../../features/people/desk/desk-api.ts'
import { notice, toast } from '../ui/components/messages.ts'
import { kindName } from './queue.tsx'
import { carryOut, desk, mayWrite, seen, showError } from './state-of-desk.ts'
import { formatClock, REFUSED, t } from './words.ts'

export function ChatLine({ line, customer }: { line: Line; customer: string }) {
  const { by, at, text, kind, media, options = [], state, why, whyNot } = line
  if (by === 'note') return <NoteLine line={line} />
  const tone = state === 'failed' ? 'bad' : state === 'unknown' || state === 'held' ? 'warn' : ''
  return (
    <article class={`bubble from-${by} ${tone}`} aria-label={`${writerOf(line)}, ${formatClock(at)}`}>
      {by !== 'customer' && (
        <p class="muted small">
          <bdi>{writerOf(line)}</bdi>
        </p>
      )}
      {text !== undefined && (
        <p class="words" dir="auto">
          {text}
        </p>
      )}
      {(text === undefined || (media && !text)) && !media && <p class="muted">{kindName(kind)}</p>}
      {media && <MediaLink media={media} kind={kind} />}
      {options.length > 0 && (
        <ul class="options line">
          {options.map((option, nth) => (
            <li key={nth} class="chip">
              <bdi>{option}</bdi>
            </li>
          ))}
        </ul>
      )}
      <footer class="muted small line">
        <time dateTime={at}>{formatClock(at)}</time>
        {state !== undefined && (
          <span class={tone === '' ? '' : `${tone}-text`}>
            {t(`state_${state}`)}
            {(state === 'failed' || state === 'held') && (whyNot !== undefined || why !== undefined) && (
              <bdi>
                :{' '}
                {whyNot === undefined || whyNot === 'not_accepted'
                  ? (why ?? t('refused_not_accepted'))
                  : t(REFUSED[whyNot])}
              </bdi>
            )}
          </span>
        )}
      </footer>
      {state === 'failed' && by === 'person' && mayWrite.value && <SendAgain line={line} customer={customer} />}
    </article>
  )
}

function writerOf({ by, who }: Line): string {
  if (by === 'customer') return t('customer')
  if (by === 'bot') return t('bot')
  return who === desk.value?.me.who ? t('you') : (who ?? t('dashboard'))
}

function NoteLine({ line: { who = '', at, text, passedTo } }: { line: Line }) {
  return (
    <article class="note" aria-label={`${t('note', { name: who })}, ${formatClock(at)}`}>
      <p class="small line">
        <b>{t('note', { name: who })}</b>
        <time dateTime={at}>{formatClock(at)}</time>
      </p>
      {passedTo !== undefined && <p>{t('passedTo', { name: passedTo })}</p>}
      {text !== undefined && text !== '' && (
        <p class="words" dir="auto">
          {text}
        </p>
      )}
    </article>
  )
}

/** A link to a media file. The page itself loads nothing from other hosts. */
function MediaLink({ media, kind }: { media: NonNullable<Line['media']>; kind: string }) {
  const name = media.name ?? kindName(kind)
  if (!media.url.startsWith('https://')) return <p class="muted">{name}</p>
  return (
    <p>
      <a href={media.url} target="_blank" rel="noopener noreferrer">
        <bdi>{name}</bdi> ↗
      </a>
    </p>
  )
}

/** Everybody who presses this sends the message under the same key, so that the customer gets it once. */
function SendAgain({ line: { id }, customer }: { line: Line; customer: string }) {
  const isDone = useSignal(false)
  const isBusy = useSignal(false)
  const send = async () => {
    isBusy.value = true
    try {
      const count = await carryOut({ act: 'write', customer, key: `again-${id}`, seen: seen.value, again: id })
      if (count === 0) toast.value = t('alreadySent')
      notice.value = ''
      isDone.value = true
    } catch (error) {
      showError(error)
    } finally {
      isBusy.value = false
    }
  }
  if (isDone.value) return null
  return (
    <button type="button" disabled={isBusy.value} onClick={() => void send()}>
      {t('sendAgain')}
    </button>
  )
}
