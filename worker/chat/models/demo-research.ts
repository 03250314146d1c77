/**
 * How the demo model plays a research: a plan of three steps that only repeats the question, notes that quote what was found, a report
 * that strings the notes together. It makes nothing up, so the research around it can be seen to work.
 */
import { withoutEnd } from '../../contract/text-end.ts'
import { materialHeading, notesRequest, planRequest } from '../research/prompts.ts'
import { firstWords, foundIn } from './demo-tools.ts'
import type { CallOptions } from './vendor-model.ts'

const maxTopicChars = 120
const maxQuotes = 3

/** What it says to a call of a research; null for any other call. `question` is the last thing the person's side said. */
export function demoResearch({ prompt }: Pick<CallOptions, 'prompt'>, question: string, wish: string | null): string | null {
  const instructions = prompt.find(({ role }) => role === 'system')
  const told = typeof instructions?.content === 'string' ? instructions.content : ''
  if (told.endsWith(planRequest)) return planFor(wish ?? question)
  if (told === notesRequest) return notesFrom(question)
  const [asked = '', material] = question.split(materialBegins)
  return material === undefined ? null : reportFrom(asked, material)
}

/** Behind the person's words, if there are any beside their files. */
const materialBegins = new RegExp(`(?:^|\n\n)${materialHeading}\n`)

/** Without what follows the person's own words. */
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
