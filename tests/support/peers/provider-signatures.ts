/**
 * Signatures that providers send in a step and require in the next request, or reject it with a 400. On the gateway's protocol they travel
 * in the SDK's parts: received in `providerMetadata`, sent in the `providerOptions` of the same part of the prompt.
 *
 * - Anthropic signs reasoning, in a separate part without text (@ai-sdk/anthropic 4.0.105). A step with tools and reasoning must start with
 *   its unchanged reasoning ("Preserving thinking blocks" in Anthropic's documents of extended thinking). This provider reasons whenever it
 *   is requested, so every such step has some.
 * - Gemini from 3 on signs function calls (@ai-sdk/google 4.0.121; "Thought signatures" in Google's documents: a call without one is
 *   rejected).
 */
import type { Asked } from './provider-rules.ts'

type PromptPart = {
  readonly type?: unknown
  readonly text?: unknown
  readonly toolCallId?: unknown
  readonly input?: unknown
  readonly providerOptions?: { readonly [provider: string]: { readonly [name: string]: unknown } }
}

/** Depends on the text and on the model. */
const signatureOf = (slug: string, words: string): string => Buffer.from(`${slug}|${words}`).toString('base64url')

const signsReasoning = (slug: string, { providerOptions }: Asked): boolean =>
  slug.startsWith('anthropic/') && providerOptions?.anthropic?.thinking !== undefined
const signsCalls = (slug: string): boolean => slug.startsWith('google/gemini-3')

/** The signature after reasoning; null if the model signs none. */
export const thoughtSignature = (slug: string, asked: Asked, reasoningText: string): object | null =>
  signsReasoning(slug, asked) ? { anthropic: { signature: signatureOf(slug, reasoningText) } } : null

/** The signature of a call; null if the model signs none. */
export const callSignature = (slug: string, input: string): object | null =>
  signsCalls(slug) ? { google: { thoughtSignature: signatureOf(slug, input) } } : null

/** Why the provider would reject the returned signatures; null if it would not. */
export function signatureRefusal(slug: string, asked: Asked & { readonly prompt?: unknown }): string | null {
  for (const parts of stepsOf(asked.prompt)) {
    const calls = parts.filter(({ type }) => type === 'tool-call')
    if (calls.length === 0) continue
    if (signsReasoning(slug, asked)) {
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
