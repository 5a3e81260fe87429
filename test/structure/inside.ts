/** Inside each large module: which of its parts may import which, types included. A part is a folder or a file. */
export const INSIDE: Record<string, Record<string, readonly string[]>> = {
  page: {
    wire: [],
    components: [],
    text: ['wire'],
    state: ['wire', 'components'],
    keyboard: ['components', 'state'],
    recorder: ['wire', 'text', 'components', 'state', 'keyboard'],
    phone: ['wire', 'text', 'components', 'state', 'recorder'],
    controls: ['wire', 'text', 'components', 'state', 'keyboard', 'recorder'],
    timeline: ['wire', 'text', 'components', 'state', 'keyboard', 'recorder'],
    frame: ['wire', 'text', 'components', 'state', 'keyboard'],
    shortcuts: ['state', 'keyboard', 'recorder'],
    app: ['components', 'state', 'keyboard', 'shortcuts', 'frame', 'phone', 'controls', 'timeline'],
    main: ['style', 'state', 'app'],
  },
}
