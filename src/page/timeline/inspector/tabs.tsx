import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useRef } from 'preact/hooks'
import type { Call, Delivery } from '../../wire/types.ts'
import { attemptIndex, chosenAttempt } from '../details.ts'
import type { Row } from '../rows/table.ts'
import { AttemptRequest, AttemptResponse, Attempts } from './attempt.tsx'
import { CallRequest, CallResponse } from './call.tsx'
import { SignatureView } from './signature.tsx'

interface TabsProps {
  readonly row: Row
  readonly call: Call | undefined
  readonly delivery: Delivery | undefined
}

interface Tab {
  readonly name: string
  readonly content: () => ComponentChildren
}

/** The tabs of the details: request and response, and for a delivery its attempts and signature. */
export function Tabs({ row, call, delivery }: TabsProps) {
  const tabs = call ? tabsOfCall(call) : delivery ? tabsOfDelivery(row, delivery) : []
  const at = useSignal(0)
  const list = useRef<HTMLDivElement>(null)
  const current = tabs[at.value] ?? tabs[0]
  const go = (to: number) => {
    at.value = (to + tabs.length) % tabs.length
    list.current?.querySelectorAll<HTMLElement>('[role="tab"]')[at.value]?.focus()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const to = { ArrowRight: at.value + 1, ArrowLeft: at.value - 1, Home: 0, End: tabs.length - 1 }[event.key]
    if (to === undefined) return
    event.preventDefault()
    go(to)
  }
  return (
    <>
      <div class="tabs" role="tablist" aria-label="Details" ref={list} onKeyDown={onKeyDown}>
        {tabs.map(({ name }, index) => (
          <button
            type="button"
            key={name}
            role="tab"
            id={`tab-${name}`}
            aria-selected={index === at.value}
            aria-controls="details-panel"
            tabIndex={index === at.value ? 0 : -1}
            onClick={() => (at.value = index)}
          >
            {name}
          </button>
        ))}
      </div>
      <div
        class="scroll panel"
        id="details-panel"
        role="tabpanel"
        tabIndex={0}
        aria-labelledby={`tab-${current?.name}`}
      >
        {current?.content()}
      </div>
    </>
  )
}

function tabsOfCall(call: Call): Tab[] {
  return [
    { name: 'Request', content: () => <CallRequest call={call} /> },
    { name: 'Response', content: () => <CallResponse call={call} /> },
  ]
}

function tabsOfDelivery(row: Row, delivery: Delivery): Tab[] {
  const index = attemptIndex(delivery, row, chosenAttempt.value)
  const attempt = { delivery, index }
  return [
    { name: 'Request', content: () => <AttemptRequest {...attempt} /> },
    { name: 'Response', content: () => <AttemptResponse {...attempt} /> },
    { name: 'Attempts', content: () => <Attempts {...attempt} /> },
    { name: 'Signature', content: () => <SignatureView {...attempt} /> },
  ]
}
