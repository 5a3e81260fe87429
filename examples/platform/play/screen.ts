/** The play on a screen: a terminal, whose picture stays in its place and which has keys, or plain lines. */
import { clearScreenDown, cursorTo, moveCursor } from 'node:readline'
import { stripVTControlCharacters } from 'node:util'
import { line, picture, type Shown } from './picture.ts'

export interface Screen {
  show(shown: Shown): void
  tell(news: string): void
  close(): void
}

const LINE_EVERY_S = 2

export function openScreen(pressed: (key: string) => void): Screen {
  return process.stdout.isTTY && process.stdin.isTTY ? terminal(pressed) : plain()
}

function plain(): Screen {
  let next = 0
  return {
    show(shown) {
      if (shown.seconds < next) return
      next = shown.seconds + LINE_EVERY_S
      console.log(line(shown))
    },
    tell: (news) => console.log(news),
    close() {},
  }
}

function terminal(pressed: (key: string) => void): Screen {
  const { stdin, stdout } = process
  let height = 0
  const hear = (chunk: Buffer) => {
    for (const key of chunk.toString()) pressed(key)
  }
  stdin.setRawMode(true).on('data', hear).resume()
  stdout.write(HIDE_CURSOR)
  return {
    show(shown) {
      // A terminal may not know its size.
      const [most, columns] = [(stdout.rows || 24) - 1, stdout.columns || 80]
      const rows = picture(shown).slice(0, most)
      moveCursor(stdout, 0, -height)
      cursorTo(stdout, 0)
      clearScreenDown(stdout)
      stdout.write(rows.map((row) => `${cut(row, columns)}\n`).join(''))
      height = rows.length
    },
    tell() {
      // The picture has the news.
    },
    close() {
      stdin.off('data', hear).setRawMode(false).pause()
      stdout.write(SHOW_CURSOR)
    },
  }
}

const HIDE_CURSOR = '\x1b[?25l'
const SHOW_CURSOR = '\x1b[?25h'

/** A row that the terminal breaks would shift those below. One that is too long loses its colours. */
function cut(row: string, columns: number): string {
  const text = stripVTControlCharacters(row)
  return text.length <= columns ? row : text.slice(0, columns)
}
