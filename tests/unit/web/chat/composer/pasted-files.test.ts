// The files that a paste attaches, from the clipboards of file managers, of office programs and of screenshots.
import { expect, test } from 'vitest'
import { pastedFiles } from '../../../../../web/features/chat/composer/composer-field.tsx'

const picture = (name: string) => new File(['x'], name, { type: 'image/png' })

/** The names of the attached files. */
function attached(files: readonly string[], text?: string, ...otherTypes: readonly string[]): readonly string[] {
  const types = [...(text === undefined ? [] : ['text/plain']), ...otherTypes, ...(files.length > 0 ? ['Files'] : [])]
  const data = { types, files: files.map(picture) as unknown as FileList, getData: () => text ?? '' }
  return pastedFiles(data).map(({ name }) => name)
}

test.each<[string, readonly string[], string | undefined, readonly string[]]>([
  ['a screenshot', ['image.png'], undefined, ['image.png']],
  ['a file of Finder', ['report.pdf'], 'report.pdf', ['report.pdf']],
  ['several files of Finder', ['a.pdf', 'b c.csv'], 'a.pdf\rb c.csv', ['a.pdf', 'b c.csv']],
  ['a file with its icon', ['report.pdf', 'image.png'], 'report.pdf', ['report.pdf']],
  ['a name that Finder decomposes', ['u\u0308bersicht.pdf'], 'übersicht.pdf', ['u\u0308bersicht.pdf']],
  ['a path of Explorer', ['Übersicht.xlsx'], 'C:\\Users\\Ada\\Übersicht.xlsx\r\n', ['Übersicht.xlsx']],
  ['a path of a Linux desktop', ['my notes.txt'], '/home/ada/my notes.txt', ['my notes.txt']],
  ['an address of a Linux desktop', ['my notes.txt'], 'file:///home/ada/my%20notes.txt\n', ['my notes.txt']],
  ['text of Word with a picture of it', ['image.png'], 'Quarterly results\nwere good', []],
  ['cells of Excel with a picture of them', ['image.png'], 'A\tB\n1\t2\n', []],
  ['text that is only the name of another file', ['image.png'], 'report.pdf', []],
  ['empty text with a picture', ['image.png'], '', []],
  ['text', [], 'report.pdf', []],
])('%s', (_source, files, text, expected) => {
  expect(attached(files, text)).toEqual(expected)
})
