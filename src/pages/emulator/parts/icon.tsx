const PATHS = {
  plus: 'M8 3v10M3 8h10',
  close: 'M4 4l8 8M12 4l-8 8',
  more: 'M3.5 8h.01M8 8h.01M12.5 8h.01',
  list: 'M5.5 4H13M5.5 8H13M5.5 12H13M2.5 4h.01M2.5 8h.01M2.5 12h.01',
  link: 'M6 10L13 3M8 3h5v5M11.5 9v4h-8.5V4.5h4',
  bolt: 'M9 1.5L3.5 9H7.5L7 14.5L12.5 7H8.5z',
  document: 'M4 1.5h5l3.5 3.5v9.5H4zM9 1.5V5h3.5M6 8.5h4.5M6 11h4.5',
} as const

export function Icon({ name }: { name: keyof typeof PATHS }) {
  return (
    <svg class="icon" viewBox="0 0 16 16" aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  )
}
