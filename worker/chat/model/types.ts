/** The AI SDK's language model, version 4, by the names that this project uses for its pieces. */
import type { LanguageModel } from 'ai'

export type VendorModel = Extract<Exclude<LanguageModel, string>, { readonly specificationVersion: 'v4' }>

export type CallOptions = Parameters<VendorModel['doStream']>[0]
export type VendorPart = Awaited<ReturnType<VendorModel['doStream']>>['stream'] extends ReadableStream<infer Part> ? Part : never
export type FilePart = Extract<VendorPart, { readonly type: 'file' }>
