import type { Assumptions } from '../assumptions.ts'

/** The shape whose turn it is. */
export function shapeFor<T>(shapes: readonly T[], turn: number, shape: Assumptions['payloadShape']): T {
  return shapes[(shape === 'rotate' ? turn : shape) % shapes.length] as T
}
