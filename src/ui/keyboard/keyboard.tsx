import type { ComponentChildren } from 'preact'
import { useEffect } from 'preact/hooks'
import { Help, isHelpOpen } from './help.tsx'
import { createShortcutFinder, type Focus, shortcuts } from './registry.ts'

interface KeyboardProps {
  readonly groups: readonly string[]
  /** Other parts of the page that a key opens. */
  readonly children?: ComponentChildren
}

/** The keyboard of a page: listens for shortcuts, and shows their list. */
export function Keyboard({ groups, children }: KeyboardProps) {
  useEffect(listenToKeys, [])
  return (
    <>
      {isHelpOpen.value && <Help groups={groups} />}
      {children}
    </>
  )
}

/** Starts the page's only key listener and returns its end. */
function listenToKeys(): () => void {
  const find = createShortcutFinder(() => shortcuts.peek())
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.defaultPrevented || event.isComposing || isModifier(event.key) || isDialogOpen()) return
    // Some keyboards have brackets and braces behind AltGr, which also reports Ctrl and Alt.
    const isAltGraph = event.getModifierState('AltGraph')
    const found = find({
      key: event.key,
      mod: (event.ctrlKey || event.metaKey) && !isAltGraph,
      alt: event.altKey && !isAltGraph,
      focus: focusOf(event.target),
      at: event.timeStamp,
    })
    if (found === undefined) return
    event.preventDefault()
    found.run()
  }
  document.addEventListener('keydown', onKeyDown)
  return () => document.removeEventListener('keydown', onKeyDown)
}

function isModifier(key: string): boolean {
  return ['Shift', 'Control', 'Alt', 'Meta', 'AltGraph', 'CapsLock'].includes(key)
}

function isDialogOpen(): boolean {
  return document.querySelector('dialog:modal') !== null
}

const NOT_TEXT_INPUTS = ['checkbox', 'radio', 'button', 'submit', 'reset', 'range', 'file', 'color']

function focusOf(target: EventTarget | null): Focus {
  if (!(target instanceof HTMLElement)) return 'elsewhere'
  if (target instanceof HTMLInputElement) return NOT_TEXT_INPUTS.includes(target.type) ? 'pressing' : 'writing'
  if (target.isContentEditable || target.matches('textarea, select')) return 'writing'
  return target.matches('button, a[href], summary, [role="button"], [role="tab"]') ? 'pressing' : 'elsewhere'
}
