/** The command `switchhook announcement`. Its module is loaded only when the command runs. */
export const command = {
  description: 'see who got an announcement, and pause, resume, retry or cancel it',
  load: () => import('./announcement-command.ts'),
}
