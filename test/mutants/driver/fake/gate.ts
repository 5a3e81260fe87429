import { isOpen } from './door.ts'

export function lets(hour: number): boolean {
  return isOpen(hour)
}
