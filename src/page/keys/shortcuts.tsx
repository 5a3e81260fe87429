import { useEffect } from 'preact/hooks'
import './actions.ts'
import { Help } from './help.tsx'
import { listenToKeys } from './listen.ts'
import { helpIsOpen, palette } from './open.ts'
import { Palette } from './palette.tsx'

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
