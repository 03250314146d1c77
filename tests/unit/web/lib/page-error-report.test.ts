// Reports of page errors: what a report says, and that it says nothing of what a user wrote.
import { describe, expect, test } from 'vitest'
import { reportOf } from '../../../../web/lib/page-error-report.ts'
import { pageErrorSchema } from '../../../../worker/contract/page-error.ts'

const origin = 'https://chat.example'
const chrome = `TypeError: x is not a function
    at save (https://chat.example/assets/app-B1x.js:3:1204)
    at async Object.run [as go] (https://chat.example/assets/app-B1x.js:9:7)
    at https://chat.example/assets/react-9Z.js:1:22
    at Array.map (<anonymous>)`
const firefox = `save@https://chat.example/assets/app-B1x.js:3:1204
@https://chat.example/assets/react-9Z.js:1:22
handler@moz-extension://1f/content.js:1:2`

function thrown(stack: string, message = 'x is not a function', ErrorClass: new (message: string) => Error = TypeError): Error {
  return Object.assign(new ErrorClass(message), { stack })
}
const report = (error: unknown) => reportOf(error, origin, 'main-3f.js')

test.each([
  ['Chrome', chrome, ['save@assets/app-B1x.js:3:1204', 'Object.run as go@assets/app-B1x.js:9:7', 'assets/react-9Z.js:1:22']],
  ['Firefox and Safari', firefox, ['save@assets/app-B1x.js:3:1204', 'assets/react-9Z.js:1:22']],
])('a stack of %s becomes places in our files, in a form that the server accepts', (_browser, stack, places) => {
  const made = report(thrown(stack))
  expect(made).toEqual({ code: 'TypeError', message: 'x is not a function', places, build: 'main-3f.js' })
  expect(pageErrorSchema.safeParse(made).success).toBe(true)
})

describe('a message', () => {
  test.each([
    "Cannot read properties of undefined (reading 'threads')",
    'can\'t access property "id", e is undefined',
    "undefined is not an object (evaluating 'e.id')",
    'Maximum call stack size exceeded',
  ])('that names only code is kept: %s', (message) => {
    expect(report(thrown(chrome, message))?.message).toBe(message)
  })

  test('of React is kept without the address, which has values', () => {
    const message = 'Minified React error #31; visit https://react.dev/errors/31?args[]=my%20diary for the full message'
    expect(report(thrown(chrome, message, Error))?.message).toBe('Minified React error #31')
  })

  test.each([
    `Unexpected token 'D', "Dear diary" is not valid JSON`,
    'KaTeX parse error: Expected group at position 3: my diary',
    'URL constructor: my diary is not a valid URL.',
    "Cannot use 'in' operator to search for 'x' in my diary",
    'my diary is not a function',
  ])('that can quote a user is left out: %s', (message) => {
    const made = report(thrown(chrome, message, SyntaxError))
    expect(made?.message).toBeNull()
    expect(JSON.stringify(made)).not.toContain('diary')
    expect(pageErrorSchema.safeParse({ ...made, message }).success).toBe(false)
  })
})

test.each([
  ['$ZodError', 'ZodError'],
  ['Invariant Violation', 'InvariantViolation'],
  ['', 'Error'],
])('an error with the name "%s" has a code that the server accepts', (name, code) => {
  const made = report(Object.assign(thrown(chrome), { name }))
  expect(made?.code).toBe(code)
  expect(pageErrorSchema.safeParse(made).success).toBe(true)
})

test.each([
  ['an extension', thrown('f@moz-extension://1f/content.js:1:2')],
  ['another site', thrown('    at f (https://chat.example.evil/assets/a.js:1:2)')],
  ['a connection that broke', thrown(chrome, 'Failed to fetch')],
  ['a request that was given up', Object.assign(thrown(chrome), { name: 'AbortError' })],
  ['an older page', Object.assign(thrown(chrome), { name: 'OutdatedPageError' })],
  ['a thrown text', 'my diary'],
  ['nothing', undefined],
])('%s is not reported', (_what, error) => {
  expect(report(error)).toBeNull()
})

test.each([
  ['a place that is a text', { places: ['my diary'] }],
  ['no place', { places: [] }],
  ['more places than a page sends', { places: Array.from({ length: 13 }, () => 'a.js:1:2') }],
  ['a code that is a text', { code: 'my diary' }],
  ['a build that is a path', { build: '../x' }],
])('the server refuses a report with %s', (_what, wrong) => {
  expect(pageErrorSchema.safeParse({ code: 'Error', message: null, places: ['a.js:1:2'], build: 'main.js', ...wrong }).success).toBe(false)
})
