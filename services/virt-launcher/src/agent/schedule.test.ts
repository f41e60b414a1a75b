import { AgentSchedule } from './schedule.ts';
import { TOPIC_ORDER, TOPICS, type Topic } from './topics.ts';

function playing(schedule: AgentSchedule, milliseconds: number, from = 0): Map<Topic, number[]> {
  const asked = new Map<Topic, number[]>();
  for (let next = schedule.next(); next.at < from + milliseconds; next = schedule.next()) {
    asked.set(next.topic, [...(asked.get(next.topic) ?? []), next.at]);
    schedule.answered(next.topic, next.at);
  }
  return asked;
}

describe('the schedule of agent questions', () => {
  test('asks everything at once in the order of the topics when the channel opens', () => {
    const schedule = new AgentSchedule();
    schedule.restart(1000);
    const order: Topic[] = [];
    for (let i = 0; i < TOPIC_ORDER.length; i += 1) {
      const { topic, at } = schedule.next();
      expect(at).toBe(1000);
      order.push(topic);
      schedule.answered(topic, 1000);
    }
    expect(order).toEqual(TOPIC_ORDER);
  });

  test('asks each topic ever less often down to its own pace, and for addresses often enough', () => {
    const schedule = new AgentSchedule();
    schedule.restart(0);
    const asked = playing(schedule, 600_000);
    for (const topic of TOPIC_ORDER) {
      const times = asked.get(topic) ?? [];
      const gaps = times.slice(1).map((at, i) => at - (times[i] ?? 0));
      expect(gaps[0]).toBeLessThanOrEqual(5_000);
      expect(gaps.at(-1)).toBe(topic === 'agent' ? 160_000 : TOPICS[topic].everyMs);
      expect(Math.max(...gaps)).toBeLessThanOrEqual(TOPICS[topic].everyMs);
    }
    expect(TOPICS.interfaces.everyMs).toBeLessThanOrEqual(4_000);
  });

  test('asks a mute agent for nothing but a sign of life, then for all that became due', () => {
    const schedule = new AgentSchedule();
    schedule.restart(0);
    playing(schedule, 1);
    schedule.mute(10_000);
    expect(schedule.next()).toEqual({ topic: 'interfaces', at: 13_000 });
    schedule.answered('interfaces', 13_000);
    expect(schedule.next().at).toBeLessThan(13_000);
  });

  test('takes the agent itself for the sign of life when it cannot tell interfaces', () => {
    const schedule = new AgentSchedule();
    schedule.restart(0);
    schedule.unsupported('interfaces');
    const asked = playing(schedule, 30_000);
    expect(asked.has('interfaces')).toBe(false);
    expect(asked.get('agent')).toHaveLength(10);
    schedule.mute(40_000);
    expect(schedule.next()).toEqual({ topic: 'agent', at: 43_000 });
  });
});
