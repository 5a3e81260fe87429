/** The groups of the page's shortcuts, in the order in which help and palette list them. */
export const GROUPS = ['Look', 'Write', 'Time', 'Timeline', 'Break', 'Record', 'Help'] as const
export type Group = (typeof GROUPS)[number]
