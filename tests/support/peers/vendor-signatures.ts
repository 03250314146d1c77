/**
 * What vendors sign in a step and want back with the next, or refuse it with a 400. On the gateway's wire it travels as the SDK's own parts
 * carry it: down in `providerMetadata`, up in the `providerOptions` of the same part of the prompt.
 *
 * - Anthropic signs thoughts, in a piece without a word behind them (@ai-sdk/anthropic 4.0.105). A step with tools that was thought about
 *   begins with its thoughts, unchanged ("Preserving thinking blocks" in Anthropic's documents of extended thinking). This vendor thinks
 *   whenever it is asked to, so every such step has some.
 * - Gemini from 3 on signs calls of functions (@ai-sdk/google 4.0.121; "Thought signatures" in Google's documents: a call without one is refused).
 */
import type { Asked } from './vendor-rules.ts'

type PromptPart = {
  readonly type?: unknown
  readonly text?: unknown
  readonly toolCallId?: unknown
  readonly input?: unknown
  readonly providerOptions?: { readonly [vendor: string]: { readonly [name: string]: unknown } }
}

/** Of no other words, and of no other model. */
const signatureOf = (slug: string, words: string): string => Buffer.from(`${slug}|${words}`).toString('base64url')

const signsThoughts = (slug: string, { providerOptions }: Asked): boolean =>
  slug.startsWith('anthropic/') && providerOptions?.anthropic?.thinking !== undefined
const signsCalls = (slug: string): boolean => slug.startsWith('google/gemini-3')

/** What comes behind thoughts; null where nothing is signed. */
export const thoughtSignature = (slug: string, asked: Asked, told: string): object | null =>
  signsThoughts(slug, asked) ? { anthropic: { signature: signatureOf(slug, told) } } : null

/** What comes with a call; null where nothing is signed. */
export const callSignature = (slug: string, input: string): object | null =>
  signsCalls(slug) ? { google: { thoughtSignature: signatureOf(slug, input) } } : null

/** Why the vendor would not go on from what it is given back; null when it would. */
export function signatureRefusal(slug: string, asked: Asked & { readonly prompt?: unknown }): string | null {
  for (const parts of stepsOf(asked.prompt)) {
    const calls = parts.filter(({ type }) => type === 'tool-call')
    if (calls.length === 0) continue
    if (signsThoughts(slug, asked)) {
      if (parts[0]?.type !== 'reasoning') return `${slug} expected thinking, but found ${String(parts[0]?.type)}`
      for (const { type, text, providerOptions } of parts)
        if (type === 'reasoning' && providerOptions?.anthropic?.signature !== signatureOf(slug, String(text)))
          return `${slug}: invalid signature in a thinking block`
    }
    if (signsCalls(slug))
      for (const { input, providerOptions } of calls)
        if (providerOptions?.google?.thoughtSignature !== signatureOf(slug, JSON.stringify(input)))
          return `${slug}: a function call is missing its thought signature`
  }
  return null
}

const stepsOf = (prompt: unknown): readonly (readonly PromptPart[])[] =>
  (Array.isArray(prompt) ? prompt : []).flatMap(({ role, content }: { role?: unknown; content?: unknown }) =>
    role === 'assistant' && Array.isArray(content) ? [content as readonly PromptPart[]] : [],
  )
