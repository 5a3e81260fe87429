/** `switchhook announcement`. Its module is loaded when it is run. */
export const command = {
  description: 'see who got an announcement, and pause, resume, retry or cancel it',
  load: () => import('./announcement-command.ts'),
}
