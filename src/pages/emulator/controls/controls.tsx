import type { ComponentType } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { confirm, ConfirmDialog } from '../../ui/components/dialog.tsx'
import { runAction, toast } from '../../ui/components/messages.ts'
import { RecordButton, RecorderSection } from '../recorder/recorder.tsx'
import { openSectionName, type SectionName } from '../state/view.ts'
import { change } from '../wire/control.ts'
import { Conversations } from './conversations.tsx'
import { EndpointNote, EndpointSection } from './endpoint.tsx'
import { FaultsNote, FaultsSection } from './faults.tsx'
import {
  AccountNote,
  AccountSection,
  AgentNote,
  AgentSection,
  AssumptionsNote,
  AssumptionsSection,
  TemplatesNote,
  TemplatesSection,
} from './settings.tsx'
import { TimeNote, TimeSection } from './time.tsx'

interface SectionProps {
  readonly name: SectionName
  readonly title: string
  readonly Note?: ComponentType
  readonly Body: ComponentType
}

const SECTIONS: readonly SectionProps[] = [
  { name: 'time', title: 'Time', Note: TimeNote, Body: TimeSection },
  { name: 'endpoint', title: 'Endpoint', Note: EndpointNote, Body: EndpointSection },
  { name: 'faults', title: 'Faults', Note: FaultsNote, Body: FaultsSection },
  { name: 'agent', title: 'AI agent', Note: AgentNote, Body: AgentSection },
  { name: 'account', title: 'Account', Note: AccountNote, Body: AccountSection },
  { name: 'templates', title: 'Templates', Note: TemplatesNote, Body: TemplatesSection },
  { name: 'assumptions', title: 'Assumptions', Note: AssumptionsNote, Body: AssumptionsSection },
  { name: 'recorder', title: 'Recorder', Body: RecorderSection },
]

export function Controls() {
  return (
    <section class="pane controls" aria-label="Controls">
      <header class="pane-head">
        <h2>Controls</h2>
        <span class="fill" />
        <RecordButton />
      </header>
      <div class="scroll">
        <Conversations />
        {SECTIONS.map((section) => (
          <Section key={section.name} {...section} />
        ))}
        <button type="button" class="danger reset" onClick={confirmReset}>
          Reset everything
        </button>
      </div>
      <ConfirmDialog />
    </section>
  )
}

function confirmReset(): void {
  confirm({
    title: 'Reset everything?',
    text: 'All conversations, templates, keys, faults and deliveries are deleted, and the clock is reset.',
    action: 'Reset',
    run: () =>
      runAction(async () => {
        await change('POST', 'reset')
        toast.value = 'The emulator starts again.'
      }),
  })
}

function Section({ name, title, Note, Body }: SectionProps) {
  const isOpen = openSectionName.value === name
  const fold = useRef<HTMLDetailsElement>(null)
  useEffect(() => {
    if (isOpen && fold.current) scrollIntoSight(fold.current)
  }, [isOpen])
  useEffect(() => {
    const section = fold.current
    return section ? keepFocus(section, () => section.querySelector('summary')) : undefined
  }, [])
  return (
    <details
      class="fold"
      open={isOpen}
      ref={fold}
      onToggle={({ currentTarget: { open } }) => {
        if (open !== (openSectionName.peek() === name)) openSectionName.value = open ? name : ''
      }}
    >
      <summary>
        <h3>{title}</h3>
        <span class="fold-note">{Note && <Note />}</span>
      </summary>
      <div class="fold-body stack">{isOpen && <Body />}</div>
    </details>
  )
}

/** Scrolls until the whole section is visible, or its top if it is too high for the pane. */
function scrollIntoSight(fold: HTMLElement): void {
  const height = fold.parentElement?.clientHeight ?? 0
  fold.scrollIntoView({ block: fold.offsetHeight > height ? 'start' : 'nearest' })
}

/**
 * Moves the focus to `home` whenever the focused element inside `box` is removed. Call the returned function to stop
 * that.
 */
function keepFocus(box: HTMLElement, home: () => HTMLElement | null): () => void {
  let focused: Node | null = null
  const onFocusIn = ({ target }: FocusEvent) => {
    focused = target as Node
  }
  const changes = new MutationObserver(() => {
    if (focused === null || focused.isConnected) return
    focused = null
    if (document.activeElement === document.body) home()?.focus({ preventScroll: true })
  })
  box.addEventListener('focusin', onFocusIn)
  changes.observe(box, { childList: true, subtree: true })
  return () => {
    box.removeEventListener('focusin', onFocusIn)
    changes.disconnect()
  }
}
