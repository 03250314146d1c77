/**
 * Tool use of the demo model: it searches, reads the first result, and answers with citations. Its text comes from the tool results, so
 * that developers can verify the search.
 */

import type { CallOptions } from '../chat/model/types.ts'
import { materialHeading, notesRequest, planRequest } from '../chat/research/prompts.ts'
import { withoutEnd } from '../contract/text-end.ts'
import { readPageTool, searchTool } from '../contract/tools.ts'

export type DemoToolCall = { readonly toolName: string; readonly input: { readonly [name: string]: string } }

type Found = { readonly number: string; readonly title: string; readonly url: string; readonly text: string }

/** Results of the tools since the last user message. */
type ToolReport = { readonly toolName: string; readonly text: string; readonly isFailure: boolean }

const pagesRead = 2
const maxQueryChars = 200
const maxQuoteChars = 240

/** The tool calls of the next step, or none if the answer should follow. `requested`: an explicit search or page of a `/demo` message. */
export function demoToolCalls(
  { tools, toolChoice, prompt }: Pick<CallOptions, 'tools' | 'toolChoice' | 'prompt'>,
  question: string,
  requested: { readonly search: string | null; readonly read: string | null },
): readonly DemoToolCall[] {
  if (!tools?.length || toolChoice?.type === 'none') return []
  const reports = toolReports(prompt)
  if (reports.length === 0 && requested.read !== null) return [{ toolName: readPageTool, input: { url: requested.read } }]
  if (reports.length === 0)
    return tools.some(({ name }) => name === searchTool)
      ? [{ toolName: searchTool, input: { query: (requested.search ?? question).trim().slice(0, maxQueryChars) } }]
      : []
  if (reports.some(({ toolName }) => toolName === readPageTool)) return []
  return foundBy(reports)
    .slice(0, pagesRead)
    .map(({ url }) => ({ toolName: readPageTool, input: { url } }))
}

/** Null if no tool was used. */
export function demoToolAnswer(prompt: CallOptions['prompt']): string | null {
  const reports = toolReports(prompt)
  if (reports.length === 0) return null
  const found = foundBy(reports)
  const failures = reports.filter(({ isFailure }) => isFailure).map(({ text }) => `> ${text}`)
  const read = reports.filter(({ toolName, isFailure }) => toolName === readPageTool && !isFailure)
  const body =
    found.length > 0
      ? foundText(found)
      : failures.length > 0
        ? 'Nothing can be said from it.'
        : read.length > 0
          ? `The page says:\n\n${read.map(({ text }) => pageQuote(text)).join('\n\n')}`
          : 'The search worked and found nothing.'
  return introduced([...failures, body])
}

/** The same answer from the results of an interrupted answer. Null without results. */
export function demoAnswerFrom(material: string): string | null {
  const found = foundIn(material)
  return found.length === 0 ? null : introduced([foundText(found)])
}

const foundText = (found: readonly Found[]): string =>
  `What was found, in the words of the sources:\n\n${found.map(({ number, title, text }) => `- **${title}**: ${firstWords(text)} [${number}]`).join('\n')}`

const introduced = (paragraphs: readonly string[]): string =>
  [
    '## This is the built-in demo, with tools',
    'The tools above were really used; the words around their results were not written by an AI model.',
    ...paragraphs,
  ].join('\n\n')

function toolReports(prompt: CallOptions['prompt']): readonly ToolReport[] {
  const since = prompt.slice(prompt.findLastIndex(({ role }) => role === 'user') + 1)
  return since.flatMap((message) => {
    if (message.role !== 'tool') return []
    return message.content.flatMap((part): ToolReport[] => {
      if (part.type !== 'tool-result') return []
      const { toolName, output } = part
      if (output.type === 'text') return [{ toolName, text: output.value, isFailure: false }]
      return [{ toolName, text: output.type === 'error-text' ? output.value : 'The tool failed.', isFailure: true }]
    })
  })
}

const foundBy = (reports: readonly ToolReport[]): readonly Found[] =>
  reports.filter(({ toolName, isFailure }) => toolName === searchTool && !isFailure).flatMap(({ text }) => foundIn(text))

/** Parses the results in the text that a search gives to a model. */
export const foundIn = (text: string): readonly Found[] =>
  [...text.matchAll(/^\[(\d+)\] (.+)\nURL: (.+)(?:\nDate: .+)?\n(.+)$/gm)].map(([, number = '', title = '', url = '', text = '']) => ({
    number,
    title,
    url,
    text,
  }))

const firstWords = (text: string): string => (/^.{20,}?[.!?](?=\s)/.exec(text)?.[0] ?? text).slice(0, maxQuoteChars)

/** A page result starts with the number and the address of its page, followed by the text. */
function pageQuote(report: string): string {
  const number = /the page \[(\d+)\]/.exec(report)?.[1] ?? '1'
  const text = report.split('\n').slice(3, -1).join(' ').replace(/\s+/g, ' ')
  return `${text.slice(0, maxQuoteChars)}… [${number}]`
}

const maxTopicChars = 120
const maxQuotes = 3

/** Response to a request of a research. Null for other requests. `question`: the last user message. */
export function demoResearch({ prompt }: Pick<CallOptions, 'prompt'>, question: string, requested: string | null): string | null {
  const instructions = prompt.find(({ role }) => role === 'system')
  const text = typeof instructions?.content === 'string' ? instructions.content : ''
  if (text.endsWith(planRequest)) return planFor(requested ?? question)
  if (text === notesRequest) return notesFrom(question)
  const [asked = '', material] = question.split(materialBegins)
  return material === undefined ? null : reportFrom(asked, material)
}

/** Heading of the material that follows the user's text. */
const materialBegins = new RegExp(`(?:^|\n\n)${materialHeading}\n`)

/** The user's text without the added material. */
export const askedIn = (question: string): string => question.split(/\n\nThe step: /)[0]?.split(materialBegins)[0] ?? question

function planFor(question: string): string {
  const topic = withoutEnd(question.replace(/\s+/g, ' '), /[?.!]/).trim().slice(0, maxTopicChars)
  return [
    `1. What is known: ${topic} => ${topic}`,
    `2. How it comes about: ${topic} => ${topic}: causes; ${topic}: history`,
    `3. What else belongs to it: ${topic} => ${topic}: related`,
  ].join('\n')
}

function notesFrom(material: string): string {
  const quotes = foundIn(material).slice(0, maxQuotes)
  return quotes.map(({ number, title, text }) => `- **${title}**: ${firstWords(text)} [${number}]`).join('\n')
}

function reportFrom(asked: string, material: string): string {
  const steps = [...material.matchAll(/^## Step \d+: (.+)\n([\s\S]*?)(?=\n\n## Step |\ndata-)/gm)]
  return [
    '## This is the built-in demo, with a research',
    `The plan was really carried out: what stands below was searched for, read and noted down. The words around it were not written by an AI model.`,
    `> ${asked.split('\n')[0]?.slice(0, maxTopicChars) ?? ''}`,
    ...steps.map(([, step = '', notes = '']) => `### ${step}\n\n${notes.trim()}`),
  ].join('\n\n')
}
