export function isOpen(hour: number): boolean {
  return hour >= 9 && hour < 17
}
