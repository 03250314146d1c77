/** The notice on rejected files. No side effects. */
import type { RefusedFile } from './uploads.ts'

/** Each reason once, with its files. */
export const refusedText = (refused: readonly RefusedFile[]): string =>
  [...Map.groupBy(refused, ({ refusal }) => refusal.code).values()].map(sentenceFor).join(' ')

function sentenceFor(alike: readonly RefusedFile[]): string {
  const [first, ...others] = alike
  if (!first) return ''
  const { code, message } = first.refusal
  if (code === 'too_many_files') return `${message} ${leftOutText(alike)}`
  return `${first.name}: ${message}${others.length === 0 ? '' : ` The same goes for ${others.length} more.`}`
}

const mostNamed = 3

const leftOutText = (files: readonly RefusedFile[]): string =>
  files.length <= mostNamed ? `Left out: ${files.map(({ name }) => name).join(', ')}.` : `${files.length} files were left out.`
