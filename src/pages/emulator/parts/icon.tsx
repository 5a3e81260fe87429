const PATHS = {
  plus: 'M8 3v10M3 8h10',
  close: 'M4 4l8 8M12 4l-8 8',
  more: 'M3.5 8h.01M8 8h.01M12.5 8h.01',
  list: 'M5.5 4H13M5.5 8H13M5.5 12H13M2.5 4h.01M2.5 8h.01M2.5 12h.01',
  link: 'M6 10L13 3M8 3h5v5M11.5 9v4h-8.5V4.5h4',
  bolt: 'M9 1.5L3.5 9H7.5L7 14.5L12.5 7H8.5z',
  document: 'M4 1.5h5l3.5 3.5v9.5H4zM9 1.5V5h3.5M6 8.5h4.5M6 11h4.5',
  waiting: 'M8 4v4l3 2M14.5 8a6.5 6.5 0 1 1-13 0 6.5 6.5 0 0 1 13 0',
  sent: 'M3 8.5l3.5 3.5L13 4.5',
  delivered: 'M1 8.5l3.5 3.5L11 4.5M7 11l1 1 7-7.5',
  read: 'M1 8.5l3.5 3.5L11 4.5M7 11l1 1 7-7.5',
  played: 'M8 1.5a2 2 0 0 1 2 2V8a2 2 0 0 1-4 0V3.5a2 2 0 0 1 2-2M3.5 8a4.5 4.5 0 0 0 9 0M8 12.5V15',
  failed: 'M8 3.5V9M8 12v.5',
} as const

export function Icon({ name }: { name: keyof typeof PATHS }) {
  return (
    <svg class="icon" viewBox="0 0 16 16" aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  )
}
