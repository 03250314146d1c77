/**
 * Keeps the requests of a turn within the credits that it reserved. Each request gets the output limit that remains after its input, and counts
 * at its highest cost until its provider reports the real one. A turn with tools and a research keep enough for their answer.
 */
import type { LanguageModelMiddleware } from 'ai'
import type { Budget } from '../../contract/models/context-budget.ts'
import { expectedOutput, expectedToolFees, type QuotedModel, tokenPrices, toolFee } from '../../contract/models/quote.ts'
import { textTokens } from '../../contract/models/token-estimates.ts'
import { CreditsSpentError } from './errors.ts'
import type { CallOptions } from './types.ts'

/** Chosen: with less, a model writes neither a sentence nor a call of a tool. */
const leastOutputTokens = 200
/** Chosen: four searches and six pages, the most of a turn. */
const maxStepFees = 34_000
/** Chosen: the results of two pages, which the request after a call reads. */
const resultTokens = 10_000

type SpendingOptions = {
  readonly model: QuotedModel
  readonly effort: string | null
  readonly microDollars: number
  /** The tokens of the files in the history. A prompt has only placeholders for them. */
  readonly fileTokens: number
}

export class Spending {
  readonly #prices: NonNullable<ReturnType<typeof tokenPrices>>
  readonly #answerTokens: number
  readonly #fileTokens: number
  #definitionTokens = 0
  #left: number
  #held = 0
  /** The part of it for fees. */
  #heldFees = 0
  /** The input of the newest request. */
  #inputTokens = 0
  #highestCost = 0
  #isFirst = true
  #isLimiting = false

  private constructor(prices: NonNullable<ReturnType<typeof tokenPrices>>, { model, effort, microDollars, fileTokens }: SpendingOptions) {
    this.#prices = prices
    this.#answerTokens = expectedOutput(model, effort)
    this.#fileTokens = fileTokens
    this.#left = microDollars
  }

  /** Null for a model without a price, which the budget of tokens alone limits. */
  static of(options: SpendingOptions): Spending | null {
    const prices = tokenPrices(options.model)
    return prices && new Spending(prices, options)
  }

  /** True if the newest request had a lower output limit because of the credits. */
  get isLimiting(): boolean {
    return this.#isLimiting
  }

  /**
   * Keeps enough for the answer after a request with tools and for the fees of its calls, and returns true if the request can have tools then.
   * `inputTokens`: of the request, with the `definitionTokens` of its tools.
   */
  holdAnswer(inputTokens: number, definitionTokens = 0): boolean {
    this.#definitionTokens = definitionTokens
    const answer = this.#costOf(inputTokens + resultTokens, this.#answerTokens)
    const free = this.#left - answer - this.#costOf(inputTokens, 0)
    const forCalls = free - this.#costOf(0, leastOutputTokens)
    this.#heldFees = Math.max(0, Math.min(maxStepFees, Math.max(forCalls / 2, Math.min(forCalls, expectedToolFees))))
    this.#held = answer + this.#heldFees
    return this.#outputFor(inputTokens) >= leastOutputTokens
  }

  /** Pays the fee of a call in a turn with tools. False if the credits do not suffice. */
  pays(tool: string): boolean {
    const fee = toolFee(tool)
    if (fee > this.#heldFees) return false
    this.#heldFees -= fee
    this.#held -= fee
    this.#left -= fee
    return true
  }

  /** Keeps this much for the report of a research, and returns true if that leaves enough for the notes of a step. */
  holdReport(report: Budget, step: { readonly inputTokens: number; readonly fees: number }): boolean {
    this.#held = this.#costOf(report.inputTokens, report.outputTokens) + step.fees
    const isEnough = this.#outputFor(step.inputTokens) >= leastOutputTokens
    this.#held -= step.fees
    return isEnough
  }

  /** Another request of the turn has cost this much. */
  used(microDollars: number): void {
    this.#left -= microDollars
  }

  release(): void {
    this.#held = 0
  }

  /** A research, or a turn with allowed calls, has called a tool. Its fee was checked before: by `holdReport`, or by the quote. */
  called(tool: string): void {
    this.#left -= toolFee(tool)
  }

  /** The newest request was answered. Unknown costs count as the highest. */
  answered(microDollars: number | null): void {
    if (microDollars !== null) this.#left += this.#highestCost - microDollars
    this.#highestCost = 0
  }

  readonly middleware: LanguageModelMiddleware = {
    specificationVersion: 'v4',
    transformParams: async ({ params }) => {
      const limit = params.maxOutputTokens ?? Number.POSITIVE_INFINITY
      this.#inputTokens = this.#tokensOf(params.prompt) + (params.tools?.length ? this.#definitionTokens : 0)
      // The reservation suffices for the first answer that was expected, even if this estimate is higher than that of the quote.
      const affordable = Math.max(this.#isFirst ? this.#answerTokens : 0, this.#outputFor(this.#inputTokens))
      if (affordable < leastOutputTokens) throw new CreditsSpentError('the credits of the turn are spent')
      this.#isLimiting = affordable < limit
      return this.#isLimiting ? { ...params, maxOutputTokens: affordable } : params
    },
    wrapStream: async ({ doStream, params }) => {
      this.#isFirst = false
      this.#highestCost = this.#costOf(this.#inputTokens, params.maxOutputTokens ?? 0)
      this.#left -= this.#highestCost
      return Promise.resolve(doStream()).catch((error: unknown) => {
        this.answered(0)
        throw error
      })
    },
  }

  #costOf(inputTokens: number, outputTokens: number): number {
    return inputTokens * this.#prices.written + outputTokens * this.#prices.output
  }

  #outputFor(inputTokens: number): number {
    const left = this.#left - this.#held - this.#costOf(inputTokens, 0)
    return left <= 0 ? 0 : Math.floor(left / this.#prices.output)
  }

  #tokensOf(prompt: CallOptions['prompt']): number {
    const parts = prompt.flatMap(({ content }): readonly (string | (typeof content)[number])[] =>
      typeof content === 'string' ? [content] : content,
    )
    const hasFiles = parts.some((part) => typeof part !== 'string' && part.type === 'file')
    const words = parts.map((part) => {
      if (typeof part === 'string') return part
      if (part.type === 'text') return part.text
      return part.type === 'file' ? '' : JSON.stringify(part)
    })
    return words.reduce((sum, text) => sum + textTokens(text), hasFiles ? this.#fileTokens : 0)
  }
}
