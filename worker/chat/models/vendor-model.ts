/** The AI SDK's language model, version 4, by the names we use for its pieces. */
import type { LanguageModel } from 'ai'

export type VendorModel = Extract<Exclude<LanguageModel, string>, { readonly specificationVersion: 'v4' }>
export type CallOptions = Parameters<VendorModel['doStream']>[0]
export type VendorPart = Awaited<ReturnType<VendorModel['doStream']>>['stream'] extends ReadableStream<infer Part> ? Part : never

/** Words and thoughts: most of what a model says, a few letters at a time. */
export type ProsePart = Extract<VendorPart, { readonly type: `${'text' | 'reasoning'}-${'start' | 'delta' | 'end'}` }>
