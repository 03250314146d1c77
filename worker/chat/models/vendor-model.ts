/** The AI SDK's language model, version 4, by the names we use for its pieces. */
import type { LanguageModel } from 'ai'

type SdkModel = Extract<Exclude<LanguageModel, string>, { readonly specificationVersion: 'v4' }>

/** Some can be listened to without the SDK's streams in between. `waiting`: when what it says last waited for us, and not we for it. */
export type VendorModel = SdkModel & { readonly listen?: Listen; readonly waiting?: { readonly atMs: number } }

/** Whether there is more to hear. Of what takes its time, later: nothing is read before. */
export type GoesOn = boolean | Promise<boolean>

/** `began` when the vendor answers, `heard` for each part until it says no. Throws what `doStream` or its stream would. */
export type Listen = (options: CallOptions, began: () => void, heard: (part: VendorPart) => GoesOn) => Promise<void>

type Ways = { readonly stream: VendorModel['doStream']; readonly listen: (listen: Listen) => Listen }

/** The same model, whose answers are asked for in other ways. */
export function askedBy(model: VendorModel, ways: Ways): VendorModel {
  const { specificationVersion, provider, modelId, supportedUrls, listen } = model
  return {
    specificationVersion,
    provider,
    modelId,
    supportedUrls,
    doGenerate: (options) => model.doGenerate(options),
    doStream: ways.stream,
    ...(listen && { listen: ways.listen(listen) }),
  }
}

export type CallOptions = Parameters<SdkModel['doStream']>[0]
export type VendorPart = Awaited<ReturnType<SdkModel['doStream']>>['stream'] extends ReadableStream<infer Part> ? Part : never

export type FilePart = Extract<VendorPart, { readonly type: 'file' }>

/** Words and thoughts: most of what a model says, a few letters at a time. */
export type ProsePart = Extract<VendorPart, { readonly type: `${'text' | 'reasoning'}-${'start' | 'delta' | 'end'}` }>
