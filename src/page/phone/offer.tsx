import { useSignal } from '@preact/signals'
import { offeredIn } from '../wire/interactive.ts'
import type { Interactive, ThreadItem } from '../wire/types.ts'
import { Icon } from '../parts/icon.tsx'
import { ListSheet } from './list-sheet.tsx'
import { writeAs } from './write.ts'

interface OfferProps {
  readonly customer: string
  readonly item: ThreadItem
}

/** What a message offers to tap: buttons, a list, a link, quick replies. */
export function Offer({ customer, item }: OfferProps) {
  const offered = offeredIn(item)
  const tap = (id: string) => writeAs(customer, { tap: id, ...numberOf(item) })
  return (
    <>
      {offered?.buttons && <Buttons options={offered.buttons} tap={tap} />}
      {offered?.sections && <List interactive={offered} tap={tap} />}
      {offered?.cta && <Link {...offered.cta} />}
      {item.quickReplies && (
        <Buttons
          options={item.quickReplies.map(({ payload, title }) => ({ id: payload, title }))}
          tap={(id) => writeAs(customer, { quickReply: id, ...numberOf(item) })}
        />
      )}
    </>
  )
}

function numberOf({ number }: ThreadItem): { number?: string } {
  return number === undefined ? {} : { number }
}

interface Taps {
  readonly tap: (id: string) => void
}

function Buttons({ options, tap }: Taps & { readonly options: NonNullable<Interactive['buttons']> }) {
  return (
    <ul class="offer">
      {options.map(({ id, title }) => (
        <li key={id}>
          <button type="button" title={`Answers with the id ${id}`} onClick={() => tap(id)}>
            <bdi>{title}</bdi>
          </button>
        </li>
      ))}
    </ul>
  )
}

function List({ interactive, tap }: Taps & { readonly interactive: Interactive }) {
  const isOpen = useSignal(false)
  return (
    <>
      <div class="offer">
        <button type="button" aria-haspopup="dialog" onClick={() => (isOpen.value = true)}>
          <Icon name="list" /> <bdi>{interactive.button_text ?? 'View'}</bdi>
        </button>
      </div>
      {isOpen.value && (
        <ListSheet
          title={interactive.button_text ?? 'View'}
          sections={interactive.sections ?? []}
          close={() => (isOpen.value = false)}
          choose={tap}
        />
      )}
    </>
  )
}

/** The address is shown before anybody goes there. */
function Link({ display_text: words, url }: { display_text: string; url: string }) {
  const isShown = useSignal(false)
  return (
    <div class="offer">
      <button type="button" aria-expanded={isShown.value} onClick={() => (isShown.value = !isShown.value)}>
        <Icon name="link" /> <bdi>{words}</bdi>
      </button>
      {isShown.value && (
        <p class="small address">
          <a href={url} target="_blank" rel="noreferrer noopener">
            {url}
          </a>
        </p>
      )}
    </div>
  )
}
