import { useEffect } from 'preact/hooks'
import { Help, isHelpOpen } from './help.tsx'
import { Palette, paletteScope } from './palette.tsx'
import { createShortcutFinder, type Focus, shortcuts } from './registry.ts'

/** The keyboard of the page: listens for shortcuts, and shows their list or the palette. */
export function Keyboard() {
  useEffect(listenToKeys, [])
  return (
    <>
      {isHelpOpen.value && <Help />}
      {paletteScope.value !== undefined && <Palette key={paletteScope.value} scope={paletteScope.value} />}
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

/** An open dialog has the keyboard to itself. */
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
