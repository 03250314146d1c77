/** The marks that the templates of open models write around thoughts and answers. */

/** In lower case, as they are compared. */
export type Marks = { readonly opening: string; readonly closing: string }

export const harmonyOpening = '<|channel|>analysis<|message|>'
export const pairs: readonly Marks[] = [
  // DeepSeek, Qwen, GLM, MiniMax and most others
  { opening: '<think>', closing: '</think>' },
  { opening: '<thinking>', closing: '</thinking>' },
  { opening: '<thought>', closing: '</thought>' },
  // Seed-OSS
  { opening: '<seed:think>', closing: '</seed:think>' },
  // Kimi
  { opening: '◁think▷', closing: '◁/think▷' },
  // Magistral
  { opening: '[think]', closing: '[/think]' },
  // Command A
  { opening: '<|start_thinking|>', closing: '<|end_thinking|>' },
  // OpenThinker
  { opening: '<|begin_of_thought|>', closing: '<|end_of_thought|>' },
  // Gemma 4
  { opening: '<|channel>thought', closing: '<channel|>' },
  // gpt-oss: https://github.com/openai/harmony
  { opening: harmonyOpening, closing: '<|end|>' },
]
/** gpt-oss, from servers that leave out the marks but not the names of the channels. */
export const bareHarmony: Marks = { opening: 'analysis', closing: 'assistantfinal' }
export const bareModels = /gpt-oss/i

const openings = pairs.map(({ opening }) => opening)
/** Without an opening mark, `<|end|>` ends any message of gpt-oss. */
export const closings = pairs.map(({ closing }) => closing).filter((closing) => closing !== '<|end|>')

/** Marks around the answer itself. They are left out at its start. */
const answerOpenings = [
  ...['<|start|>assistant', '<|channel|>final<|message|>', '<|channel|>commentary<|message|>'],
  ...['<|start_response|>', '<|begin_of_solution|>', '<|im_start|>assistant'],
]
/** Left out at the end of the answer. */
export const answerEndings = [
  ...['<|end|>', '<|return|>', '<|end_response|>', '<|end_of_solution|>', '<|im_end|>', '<|eot_id|>', '<|eom_id|>'],
  ...['<|endoftext|>', '<|end_of_text|>', '<|end_of_turn|>', '<end_of_turn>', '<|end_of_turn_token|>', '<｜end▁of▁sentence｜>'],
]
export const startMarks = [...openings, ...closings, ...answerOpenings]
export const maxMarkChars = Math.max(...[...startMarks, ...answerEndings].map(({ length }) => length))
