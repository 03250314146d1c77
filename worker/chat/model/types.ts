/** The AI SDK's language model, version 4, by the names that this project uses for its pieces. */
import type { LanguageModel } from 'ai'

export type ProviderModel = Extract<Exclude<LanguageModel, string>, { readonly specificationVersion: 'v4' }>

export type CallOptions = Parameters<ProviderModel['doStream']>[0]
export type ProviderPart = Awaited<ReturnType<ProviderModel['doStream']>>['stream'] extends ReadableStream<infer Part> ? Part : never
export type FilePart = Extract<ProviderPart, { readonly type: 'file' }>

/** Reads the parts of one stream in order, and passes on what becomes of each. */
export type PartReader = { readonly read: (part: ProviderPart) => void; readonly end: () => void }
