import { useEffect } from 'preact/hooks'
import { Help, helpIsOpen } from './help.tsx'
import { palette, Palette } from './palette.tsx'
import { createFinder, type Focus, shortcuts } from './registry.ts'

/** The page by keyboard: its listener, the list of what there is, and the palette. */
export function Shortcuts() {
  useEffect(listenToKeys, [])
  return (
    <>
      {helpIsOpen.value && <Help />}
      {palette.value !== undefined && <Palette key={palette.value} offers={palette.value} />}
    </>
  )
}

/** The page's one listener for keys; the answer stops it. */
export function listenToKeys(): () => void {
  const find = createFinder(() => shortcuts.peek())
  const hear = (event: KeyboardEvent) => {
    if (event.defaultPrevented || event.isComposing || isModifier(event.key) || isDialogOpen()) return
    // Some keyboards have brackets and braces behind AltGr, which says Ctrl and Alt as well.
    const plain = event.getModifierState('AltGraph')
    const found = find({
      key: event.key,
      mod: (event.ctrlKey || event.metaKey) && !plain,
      alt: event.altKey && !plain,
      focus: focusOf(event.target),
      at: event.timeStamp,
    })
    if (found === undefined) return
    event.preventDefault()
    found.run()
  }
  document.addEventListener('keydown', hear)
  return () => document.removeEventListener('keydown', hear)
}

function isModifier(key: string): boolean {
  return ['Shift', 'Control', 'Alt', 'Meta', 'AltGraph', 'CapsLock'].includes(key)
}

/** A dialog has the keyboard to itself. */
function isDialogOpen(): boolean {
  return document.querySelector('dialog:modal') !== null
}

const TAKES_NO_LETTERS = ['checkbox', 'radio', 'button', 'submit', 'reset', 'range', 'file', 'color']

function focusOf(target: EventTarget | null): Focus {
  if (!(target instanceof HTMLElement)) return 'elsewhere'
  if (target instanceof HTMLInputElement) return TAKES_NO_LETTERS.includes(target.type) ? 'pressing' : 'writing'
  if (target.isContentEditable || target.matches('textarea, select')) return 'writing'
  return target.matches('button, a[href], summary, [role="button"], [role="tab"]') ? 'pressing' : 'elsewhere'
}
