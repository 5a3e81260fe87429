/** As a field for local dates and times takes it: `2026-03-04T09:00`, in this machine's time zone. */
export function localTime(at: Date): string {
  const two = (part: number) => String(part).padStart(2, '0')
  const day = [at.getFullYear(), two(at.getMonth() + 1), two(at.getDate())].join('-')
  return `${day}T${[at.getHours(), at.getMinutes()].map(two).join(':')}`
}
