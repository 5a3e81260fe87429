import type { ComponentType } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { Ask } from '../components/dialog.tsx'
import { RecordButton, Recorder, RecorderNote } from '../recorder/recorder.tsx'
import { type Part, part } from '../state/view.ts'
import { AccountNote, AccountPart } from './account.tsx'
import { AgentNote, AgentPart } from './agent.tsx'
import { Assumptions, AssumptionsNote } from './assumptions.tsx'
import { Conversations } from './conversations.tsx'
import { Endpoint, EndpointNote } from './endpoint.tsx'
import { FaultsNote, FaultsPart } from './faults.tsx'
import { StatePart } from './state.tsx'
import { TemplatesNote, TemplatesPart } from './templates.tsx'
import { TimeNote, TimePart } from './time.tsx'

/** The first pane: whom one is, and the world behind the service. */
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
        <Section name="time" title="Time" Note={TimeNote} Body={TimePart} />
        <Section name="endpoint" title="Endpoint" Note={EndpointNote} Body={Endpoint} />
        <Section name="faults" title="Faults" Note={FaultsNote} Body={FaultsPart} />
        <Section name="agent" title="AI agent" Note={AgentNote} Body={AgentPart} />
        <Section name="account" title="Account" Note={AccountNote} Body={AccountPart} />
        <Section name="templates" title="Templates" Note={TemplatesNote} Body={TemplatesPart} />
        <Section name="assumptions" title="Assumptions" Note={AssumptionsNote} Body={Assumptions} />
        <Section name="recorder" title="Recorder" Note={RecorderNote} Body={Recorder} />
        <Section name="state" title="State" Body={StatePart} />
      </div>
      <Ask />
    </section>
  )
}

interface SectionProps {
  readonly name: Part
  readonly title: string
  /** How it stands, in a word or two beside the title. */
  readonly Note?: ComponentType
  readonly Body: ComponentType
}

/** One part of the controls, which folds; one is open at a time. */
export function Section({ name, title, Note, Body }: SectionProps) {
  const isOpen = part.value === name
  const fold = useRef<HTMLElement>(null)
  useEffect(() => {
    if (isOpen && fold.current) bringIntoView(fold.current)
  }, [isOpen])
  useEffect(() => {
    const it = fold.current
    return it ? keepFocus(it, () => it.querySelector('h3 button')) : undefined
  }, [])
  return (
    <section class={`fold ${isOpen ? 'open' : ''}`} ref={fold}>
      <h3>
        <button
          type="button"
          aria-expanded={isOpen}
          aria-controls={`part-${name}`}
          aria-describedby={`note-${name}`}
          onClick={() => (part.value = isOpen ? '' : name)}
        >
          <svg class="fold-mark" viewBox="0 0 16 16" aria-hidden="true">
            <path d="M6 3.5 10.5 8 6 12.5" />
          </svg>
          {title}
        </button>
        <span class="fold-note" id={`note-${name}`}>
          {Note && <Note />}
        </span>
      </h3>
      <div id={`part-${name}`} class="fold-body" hidden={!isOpen}>
        {isOpen && <Body />}
      </div>
    </section>
  )
}

/** Whole where there is room for it, else from its title on. */
function bringIntoView(fold: HTMLElement): void {
  const room = fold.parentElement?.clientHeight ?? 0
  fold.scrollIntoView({ block: fold.offsetHeight > room ? 'start' : 'nearest' })
}

/** Puts the focus onto `home` whenever what had it inside of `box` is taken away; the answer stops that. */
export function keepFocus(box: HTMLElement, home: () => HTMLElement | null): () => void {
  let last: Node | null = null
  const came = ({ target }: FocusEvent) => {
    last = target as Node
  }
  const changes = new MutationObserver(() => {
    if (last === null || last.isConnected) return
    last = null
    if (document.activeElement === document.body) home()?.focus({ preventScroll: true })
  })
  box.addEventListener('focusin', came)
  changes.observe(box, { childList: true, subtree: true })
  return () => {
    box.removeEventListener('focusin', came)
    changes.disconnect()
  }
}
