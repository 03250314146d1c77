/**
 * Reports of errors in the page, for the operator's log. A report contains no text of a user: only the part of a message that names code, and
 * only the places of a stack that are in our files. The server rejects any other report.
 */
import * as z from 'zod/mini'

/** Name of a variable or property, as engines quote it. */
const name = String.raw`['"]?[\w$.#]{1,60}['"]?`

/** Messages of engines about code. All other messages can quote a user's text, so their reports have only the error's name and places. */
const messageForms = [
  String.raw`Cannot (?:read|set) properties of (?:undefined|null) \((?:reading|setting) ${name}\)`,
  String.raw`(?:undefined|null) is not an object \(evaluating ${name}\)`,
  `can't access property ${name}, ${name} is (?:undefined|null)`,
  `${name} is not (?:a function|defined|iterable|a constructor)`,
  `Cannot access ${name} before initialization`,
  'Maximum call stack size exceeded',
  'too much recursion',
  'The node to be removed is not a child of this node\\.',
  String.raw`Minified React error #\d{1,4}`,
].map((form) => new RegExp(`^(?:Uncaught )?(?:${form})`))

/** The beginning of a message that names only code, or null. */
export function codeMessage(message: string): string | null {
  for (const form of messageForms) {
    const found = form.exec(message)?.[0]
    if (found !== undefined) return found
  }
  return null
}

/** A place in a file of the build: function, file, line and column. */
const placePattern = /^(?:[\w$.<># ]{1,80}@)?[\w./-]{1,100}\.js:\d{1,7}:\d{1,7}$/

export const maxPlaces = 12

export const pageErrorSchema = z.object({
  /** Name of the error class, such as TypeError. */
  code: z.string().check(z.regex(/^[A-Za-z]\w{0,59}$/)),
  message: z.nullable(
    z.string().check(
      z.maxLength(200),
      z.refine((message) => codeMessage(message) === message),
    ),
  ),
  /** Innermost first. */
  places: z.array(z.string().check(z.regex(placePattern))).check(z.minLength(1), z.maxLength(maxPlaces)),
  /** File name of the page's entry script. It contains a hash, so it identifies the build. */
  build: z.string().check(z.regex(/^[\w.-]{1,100}$/)),
})

export type PageError = z.infer<typeof pageErrorSchema>
