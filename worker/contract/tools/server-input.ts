/**
 * The requests of a tool server to the user during a call (elicitation), as they are stored and shown. The server chooses every word; nothing here is
 * for a model. Bounded, and without characters that a user cannot see.
 */

/** JSON schema of one value. `enumNames`: what is shown for each option. */
export type InputField = {
  readonly title?: string
  readonly description?: string
} & (
  | {
      readonly type: 'string'
      readonly format?: 'email' | 'uri' | 'date' | 'date-time'
      readonly minLength?: number
      readonly maxLength?: number
      readonly enum?: readonly string[]
      readonly enumNames?: readonly string[]
      readonly default?: string
    }
  | {
      readonly type: 'number' | 'integer'
      readonly minimum?: number
      readonly maximum?: number
      readonly default?: number
    }
  | { readonly type: 'boolean'; readonly default?: boolean }
  | {
      readonly type: 'array'
      readonly items: { readonly type: 'string'; readonly enum: readonly string[]; readonly enumNames?: readonly string[] }
      readonly minItems?: number
      readonly maxItems?: number
      readonly default?: readonly string[]
    }
)

/** JSON schema of a form: one level of values. */
export type InputSchema = {
  readonly type: 'object'
  readonly properties: { readonly [name: string]: InputField }
  readonly required: readonly string[]
  readonly additionalProperties: false
}

/** A form, or an address that the user opens. */
export type InputAsk =
  | { readonly message: string; readonly schema: InputSchema }
  /** `url`: public, by https. */
  | { readonly message: string; readonly url: string }

/** The values of a form. Empty for an address. */
export type InputAnswer = { readonly [name: string]: string | number | boolean | readonly string[] }
