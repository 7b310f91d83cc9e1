use std::sync::Arc;

use rmcp::ServerHandler;
use rmcp::model::{
    CacheScope, CallToolRequestParams, CallToolResponse, ErrorData, GetPromptRequestParams, GetPromptResponse,
    Implementation, ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult, ListToolsResult,
    PaginatedRequestParams, ReadResourceRequestParams, ReadResourceResponse, ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::{RequestContext, RoleServer};
use serde_json::Value;

use crate::commands::Commands;
use crate::{prompt, resource, tool};

/// What every session is told about the server.
const INSTRUCTIONS: &str = "Stead checks what agents do in this project. Call `select_active_intent` before you change \
files if the project has intents, `check_action` if you are not sure that something is allowed, `where_is` before you \
search, and `query_traces` to learn what went wrong before.";

/// For how many milliseconds a client may keep a list that never changes while the server runs.
const LASTING: u64 = 3_600_000;

/// The server, one for each connection.
#[derive(Clone)]
pub(crate) struct Server {
    commands: Arc<dyn Commands>,
}

impl Server {
    pub(crate) fn new(commands: Arc<dyn Commands>) -> Self {
        Self { commands }
    }

    /// Does work that may wait for files and processes.
    async fn in_thread<T: Send + 'static>(
        &self,
        work: impl FnOnce(&dyn Commands) -> T + Send + 'static,
    ) -> Result<T, ErrorData> {
        let commands = Arc::clone(&self.commands);
        let done = tokio::task::spawn_blocking(move || work(&*commands)).await;
        done.map_err(|_| ErrorData::internal_error("the command was interrupted", None))
    }
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder().enable_tools().enable_resources().enable_prompts().build();
        ServerConfig::new(capabilities)
            .with_server_info(Implementation::new("stead", env!("CARGO_PKG_VERSION")).with_title("Stead"))
            .with_instructions(INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let list = ListToolsResult::with_all_items(tool::listed_tools());
        Ok(ListToolsResult { ttl_ms: Some(LASTING), cache_scope: Some(CacheScope::Private), ..list })
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        tool::listed_tools().into_iter().find(|tool| tool.name == name)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let name = request.name.clone();
        let input = request.arguments.map_or(Value::Null, Value::Object);
        let result = self.in_thread(move |commands| tool::call(&request.name, &input, commands)).await?;
        let unknown = || ErrorData::invalid_params(format!("unknown tool `{name}`; see `tools/list`"), None);
        result.map(CallToolResponse::from).ok_or_else(unknown)
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let list = ListResourcesResult::with_all_items(self.in_thread(resource::list).await?);
        Ok(ListResourcesResult { ttl_ms: Some(0), cache_scope: Some(CacheScope::Private), ..list })
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let list = ListResourceTemplatesResult::with_all_items(resource::templates());
        Ok(ListResourceTemplatesResult { ttl_ms: Some(LASTING), cache_scope: Some(CacheScope::Private), ..list })
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let uri = request.uri;
        self.in_thread(move |commands| resource::read(&uri, commands)).await?.map(ReadResourceResponse::from)
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        let list = ListPromptsResult::with_all_items(prompt::list());
        Ok(ListPromptsResult { ttl_ms: Some(LASTING), cache_scope: Some(CacheScope::Private), ..list })
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let arguments = request.arguments.unwrap_or_default();
        let given = move |name: &str| arguments.get(name).and_then(Value::as_str).map(str::to_owned);
        self.in_thread(move |commands| prompt::get(&request.name, &given, commands)).await?.map(GetPromptResponse::from)
    }
}
