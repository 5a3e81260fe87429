/** The commands of built-in features, by their names on the command line. */
export { command as announcement } from '../features/announcements/command.ts'
