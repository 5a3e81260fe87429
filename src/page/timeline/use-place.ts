import { useComputed, useSignalEffect } from '@preact/signals'
import { useEffect, useLayoutEffect, useMemo, useRef } from 'preact/hooks'
import { query } from '../state/view.ts'
import { entries, wantedRow } from './live.ts'
import { createPlace } from './place.ts'

/** The place of a list that is drawn in `box`. */
export function usePlace(rowHeight: number) {
  const box = useRef<HTMLDivElement>(null)
  const place = useMemo(() => createPlace(rowHeight), [rowHeight])
  const isDrawn = useComputed(() => entries.value.length > 0).value
  const all = entries.value

  useLayoutEffect(() => {
    place.drawnIn(box.current)
    place.changed()
  }, [all])

  useEffect(() => {
    if (box.current === null) return undefined
    const watch = new ResizeObserver(place.resized)
    watch.observe(box.current)
    return () => watch.disconnect()
  }, [isDrawn])

  useSignalEffect(() => {
    if (wantedRow.value !== '') place.toWanted()
  })

  // What is searched for begins at its newest row.
  useSignalEffect(() => {
    void query.value
    place.startAnew()
  })

  return { box, place }
}
