use std::collections::HashMap;
use std::io::BufReader;
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use serde_json::{Value, json};

use super::answer::Answer;
use super::api::{Api, Asked, Route};
use super::http::{Problem, Request};
use super::response::Response;
use super::script::{Script, Turn};
use super::side::{SIDE_TEXT, side_answer};
use super::tool::resolve;
use super::{Exchange, Part, RequestLog};

/// Beyond so many requests a client runs in circles.
const MOST_REQUESTS: usize = 200;

/// How long a connection may be silent.
const SILENCE: Duration = Duration::from_secs(60);

/// What the model says when a lane has no more turns.
const OVER: &str = "The script is over.";

/// A scripted model that listens on loopback until it is dropped.
pub struct FakeModel {
    address: SocketAddr,
    state: Arc<State>,
    listener: Option<JoinHandle<()>>,
}

struct State {
    script: Script,
    progress: Mutex<Progress>,
    over: AtomicBool,
}

#[derive(Default)]
struct Progress {
    log: Vec<Exchange>,
    /// Lane marker to the turns given and the conversation that got the last one.
    lanes: HashMap<String, (usize, String)>,
    /// How full the conversation was said to be.
    tokens: u64,
}

impl FakeModel {
    /// Starts a model on a port of the system's choice.
    pub fn start(script: Script) -> Self {
        Self::start_on(0, script)
    }

    /// Starts a model on a certain port, for clients that have the address in a file.
    pub fn start_on(port: u16, script: Script) -> Self {
        let socket = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).unwrap();
        let address = socket.local_addr().unwrap();
        let state = Arc::new(State { script, progress: Mutex::default(), over: AtomicBool::new(false) });
        let shared = Arc::clone(&state);
        let listener = thread::spawn(move || {
            for stream in socket.incoming() {
                if shared.over.load(Ordering::SeqCst) {
                    break;
                }
                let Ok(stream) = stream else { continue };
                let state = Arc::clone(&shared);
                thread::spawn(move || state.serve(&stream));
            }
        });
        Self { address, state, listener: Some(listener) }
    }

    pub fn port(&self) -> u16 {
        self.address.port()
    }

    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// What was asked so far.
    pub fn log(&self) -> RequestLog {
        RequestLog(self.state.progress().log.clone())
    }
}

impl Drop for FakeModel {
    fn drop(&mut self) {
        self.state.over.store(true, Ordering::SeqCst);
        // The listener looks up at the next connection.
        let woken = TcpStream::connect(self.address).is_ok();
        if let Some(listener) = self.listener.take().filter(|_| woken) {
            let _ = listener.join();
        }
    }
}

impl State {
    fn progress(&self) -> std::sync::MutexGuard<'_, Progress> {
        self.progress.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn serve(&self, stream: &TcpStream) {
        let _ = stream.set_read_timeout(Some(SILENCE));
        let _ = stream.set_write_timeout(Some(SILENCE));
        let mut writer = stream;
        let (response, with_body) = match Request::read(&mut BufReader::new(stream), &mut writer) {
            Ok(request) => (self.respond(&request), request.method != "HEAD"),
            Err(Problem::Gone) => return,
            Err(Problem::Malformed(why)) => (Response::error(400, why), true),
            Err(Problem::TooLarge) => (Response::error(413, "the request is too large"), true),
        };
        // A client that has gone needs no answer.
        let _ = response.write(&mut writer, with_body);
    }

    fn respond(&self, request: &Request) -> Response {
        let (body, unreadable) = read_body(request);
        let mut exchange = Exchange {
            number: 0,
            method: request.method.clone(),
            path: request.target.clone(),
            part: Part::Side,
            body,
            answer: Value::Null,
            problem: unreadable,
        };
        match Route::of(&request.method, request.path()) {
            Route::Converse(api) if exchange.problem.is_none() => self.converse(api, exchange),
            Route::Converse(_) => self.close(exchange, Response::error(400, "the body is not JSON")),
            Route::CountTokens => {
                let tokens = exchange.body.to_string().len() / 4 + 1;
                self.close(exchange, Response::json(&json!({"input_tokens": tokens, "totalTokens": tokens})))
            }
            Route::ListModels => {
                let models = json!({"object": "list", "data": [{"id": "scripted", "object": "model"}], "models": []});
                self.close(exchange, Response::json(&models))
            }
            Route::Probe => self.close(exchange, Response::json(&json!({}))),
            Route::Unknown => {
                exchange.part = Part::Unknown;
                self.close(exchange, Response::error(404, "the scripted model has no such address"))
            }
        }
    }

    /// Logs a request that is no turn.
    fn close(&self, mut exchange: Exchange, response: Response) -> Response {
        exchange.answer = json!(response.status);
        self.log(exchange);
        response
    }

    fn log(&self, mut exchange: Exchange) -> usize {
        let mut progress = self.progress();
        let number = progress.log.len() + 1;
        exchange.number = number;
        progress.log.push(exchange);
        number
    }

    fn converse(&self, api: Api, mut exchange: Exchange) -> Response {
        let asked = api.asked(&exchange.body);
        let mut answer = Answer::default();
        let mut turn = None;
        if self.progress().log.len() >= MOST_REQUESTS {
            exchange.problem = Some(format!("more than {MOST_REQUESTS} requests"));
            return self.close(exchange, Response::error(400, "the scripted model has had enough"));
        }
        if let Some(text) = side_answer(&asked) {
            answer.text = Some(text);
            // A summary reads the whole conversation; clients work out from that what it saved.
            answer.input_tokens = self.progress().tokens;
        } else if let Some((lane, index, next)) = self.next(&asked) {
            (answer, exchange.problem) = spoken(&next, &asked);
            exchange.part = Part::Turn { lane, turn: index };
            self.progress().tokens = answer.input_tokens;
            turn = Some(next);
        } else {
            answer.text = Some(SIDE_TEXT.to_owned());
        }
        answer.input_tokens = answer.input_tokens.max(100);
        exchange.answer = answer.summary();
        let body = exchange.body.clone();
        let number = self.log(exchange);
        answer.id = format!("{}_{number}", api.name());
        if let Some(turn) = turn {
            self.act(&turn, number);
        }
        api.render(&body, &answer)
    }

    /// Chooses the turn for a request: the lane's next one, or the same again for a request that was sent again.
    fn next(&self, asked: &Asked) -> Option<(String, usize, Turn)> {
        let marked = |marker: &str| asked.user_texts.iter().any(|text| text.contains(marker));
        let lane = self.script.lanes.iter().find(|lane| marked(&lane.marker));
        let (marker, turns) = match lane {
            Some(lane) => (lane.marker.clone(), &lane.turns),
            None if self.script.main.is_empty() => return None,
            None => (String::new(), &self.script.main),
        };
        let mut progress = self.progress();
        let (given, last) = progress.lanes.entry(marker.clone()).or_default();
        if *given == 0 || *last != asked.conversation {
            *given += 1;
            last.clone_from(&asked.conversation);
        }
        let index = *given - 1;
        Some((marker, index, turns.get(index).cloned().unwrap_or_else(|| Turn::say(OVER))))
    }

    /// Does what the script wants to happen before the answer goes out.
    fn act(&self, turn: &Turn, number: usize) {
        if let Some(action) = &turn.action {
            action();
        }
        thread::sleep(turn.pause);
        if turn.meeting.as_ref().is_some_and(|meeting| !meeting.join()) {
            let mut progress = self.progress();
            progress.log[number - 1].problem = Some("the other session did not come in time".to_owned());
        }
    }
}

/// The body as JSON, and why it is none.
fn read_body(request: &Request) -> (Value, Option<String>) {
    if request.body.is_empty() {
        return (Value::Null, None);
    }
    match serde_json::from_slice(&request.body) {
        Ok(value) => (value, None),
        Err(error) => {
            let coding = request.header("content-encoding").map(|coding| format!(" ({coding})")).unwrap_or_default();
            let text = String::from_utf8_lossy(&request.body).chars().take(2000).collect::<String>();
            (Value::from(text), Some(format!("the body{coding} is not JSON: {error}")))
        }
    }
}

/// Puts a turn into the tools that the request offers.
fn spoken(turn: &Turn, asked: &Asked) -> (Answer, Option<String>) {
    let mut answer = Answer { text: turn.text.clone(), ..Answer::default() };
    answer.input_tokens = turn.input_tokens.unwrap_or_default();
    for call in &turn.calls {
        match resolve(call, &asked.offered) {
            Ok(native) => answer.calls.push(native),
            Err(why) => return (Answer::text(why.clone()), Some(why)),
        }
    }
    (answer, None)
}
